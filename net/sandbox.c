/* sandbox.c - see sandbox.h. The filter is a list of what is refused, not of what is allowed: the libraries behind a
 * fetch (resolver, TLS) make other calls with each release, and what an attacker gains by code is in the short list of
 * calls that change something. A refused call fails with EPERM. What both profiles refuse stands in one list. */
#include "net/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#endif

enum { KEPT = 3, FILES = 64 };

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static void limit(int what, rlim_t most) {
    struct rlimit l = { most, most };
    setrlimit((__rlimit_resource_t)what, &l);
}

static void close_from(int first) {
#ifdef SYS_close_range
    if (!syscall(SYS_close_range, (unsigned)first, ~0u, 0u)) return;
#endif
    for (int fd = first; fd < 65536; fd++) close(fd);
}

/* Standard error is often the user's terminal, so that goes too; a sanitizer needs it to say what it found. */
static void keep_only(int keep) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, 0);
    dup2(null, 1);
#ifndef SANITIZED
    dup2(null, 2);
#endif
    if (keep != KEPT) dup2(keep, KEPT);
    close_from(KEPT + 1);
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#ifdef __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define LOAD(field)           BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, field))
#define RETURN(value)         BPF_STMT(BPF_RET | BPF_K, (value))
#define ALLOW                 RETURN(SECCOMP_RET_ALLOW)
#define DENY(error)           RETURN(SECCOMP_RET_ERRNO | ((error)&SECCOMP_RET_DATA))
#define JUMP(how, k, yes, no) BPF_JUMP(BPF_JMP | BPF_##how | BPF_K, (unsigned)(k), yes, no)
/* What follows is only of this call: else go `n` rules on. */
#define OF(call, n) JUMP(JEQ, SYS_##call, 0, n)
/* Where the value is `k`, go `n` rules on. */
#define IS(k, n)     JUMP(JEQ, k, n, 0)
#define REFUSE(call) OF(call, 1), DENY(EPERM)
/* Look at the low half of an argument: refuse where a bit of `bits` is set (or, for REFUSE_WITHOUT, where none is). */
#define REFUSE_WITH(call, n, bits)    OF(call, 4), LOAD(args[n]), JUMP(JSET, bits, 0, 1), DENY(EPERM), ALLOW
#define REFUSE_WITHOUT(call, n, bits) OF(call, 4), LOAD(args[n]), JUMP(JSET, bits, 1, 0), DENY(EPERM), ALLOW
#define WRITES                        (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

/* The calls that x86-64 has beside those of every architecture, and x32: the same calls by other numbers. */
#ifdef __x86_64__
#define OLD_CALLS                                                                                                   \
    JUMP(JGE, 0x40000000u, 0, 1), RETURN(SECCOMP_RET_KILL_PROCESS), REFUSE_WITH(open, 1, WRITES), REFUSE(creat),    \
        REFUSE(unlink), REFUSE(rename), REFUSE(link), REFUSE(symlink), REFUSE(mkdir), REFUSE(rmdir), REFUSE(mknod), \
        REFUSE(chmod), REFUSE(chown), REFUSE(lchown), REFUSE(utime), REFUSE(utimes), REFUSE(futimesat),             \
        REFUSE(ioperm), REFUSE(iopl)
#define OLD_FORKS REFUSE(fork), REFUSE(vfork)
#else
#define OLD_CALLS LOAD(nr)
#define OLD_FORKS LOAD(nr)
#endif

/* From 424 on the numbers are the same everywhere, and each release of Linux adds ways to open, change and signal: all
 * of them are absent, those of tomorrow too, but what libraries were seen to use and what changes nothing:
 * close_range, faccessat2, epoll_pwait2, futex_waitv. A library that misses one takes the older way. */
#define NEW_CALLS JUMP(JGE, 424, 0, 6), IS(436, 4), IS(439, 3), IS(441, 2), IS(449, 1), DENY(ENOSYS), ALLOW

/* A terminal takes typed words through ioctl, and a descriptor can be told to signal others: only what is asked of
 * sockets and pipes is left. */
#define DESCRIPTORS                                                                                                    \
    OF(ioctl, 7), LOAD(args[1]), IS(FIONREAD, 4), IS(FIONBIO, 3), IS(FIOCLEX, 2), IS(FIONCLEX, 1), DENY(EPERM), ALLOW, \
        OF(fcntl, 8), LOAD(args[1]), IS(8 /* F_SETOWN */, 5), IS(10 /* F_SETSIG */, 4), IS(15 /* F_SETOWN_EX */, 3),   \
        IS(1024 /* F_SETLEASE */, 2), IS(1026 /* F_NOTIFY */, 1), ALLOW, DENY(EPERM)

/* What neither needs: writing files, terminals, other processes, the kernel's settings. `pid` is its own. */
#define COMMON(pid)                                                                                                    \
    LOAD(arch), JUMP(JEQ, ARCH, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS), LOAD(nr), OLD_CALLS, NEW_CALLS,               \
        REFUSE_WITH(openat, 2, WRITES), DESCRIPTORS, OF(tgkill, 4), LOAD(args[0]), IS(pid, 1), DENY(EPERM), ALLOW,     \
        REFUSE(kill), REFUSE(tkill), REFUSE(rt_sigqueueinfo), REFUSE(rt_tgsigqueueinfo), REFUSE(ptrace),               \
        REFUSE(process_vm_readv), REFUSE(process_vm_writev), REFUSE(kcmp), REFUSE(setpriority), REFUSE(ioprio_set),    \
        REFUSE(sched_setscheduler), REFUSE(sched_setparam), REFUSE(sched_setattr), REFUSE(sched_setaffinity),          \
        REFUSE(migrate_pages), REFUSE(move_pages), REFUSE(unlinkat), REFUSE(renameat), REFUSE(renameat2),              \
        REFUSE(linkat), REFUSE(symlinkat), REFUSE(mkdirat), REFUSE(mknodat), REFUSE(fchmod), REFUSE(fchmodat),         \
        REFUSE(fchown), REFUSE(fchownat), REFUSE(utimensat), REFUSE(truncate), REFUSE(ftruncate), REFUSE(fallocate),   \
        REFUSE(setxattr), REFUSE(lsetxattr), REFUSE(fsetxattr), REFUSE(removexattr), REFUSE(lremovexattr),             \
        REFUSE(fremovexattr), REFUSE(mount), REFUSE(umount2), REFUSE(pivot_root), REFUSE(chroot), REFUSE(setns),       \
        REFUSE(unshare), REFUSE(bpf), REFUSE(perf_event_open), REFUSE(keyctl), REFUSE(add_key), REFUSE(request_key),   \
        REFUSE(userfaultfd), REFUSE(init_module), REFUSE(finit_module), REFUSE(delete_module), REFUSE(kexec_load),     \
        REFUSE(reboot), REFUSE(swapon), REFUSE(swapoff), REFUSE(acct), REFUSE(settimeofday), REFUSE(clock_settime),    \
        REFUSE(adjtimex), REFUSE(clock_adjtime), REFUSE(sethostname), REFUSE(setdomainname), REFUSE(vhangup),          \
        REFUSE(quotactl), REFUSE(syslog), REFUSE(listen), REFUSE(accept), REFUSE(accept4), REFUSE(memfd_create),       \
        REFUSE(shmget), REFUSE(shmat), REFUSE(shmctl), REFUSE(msgget), REFUSE(msgsnd), REFUSE(msgrcv), REFUSE(msgctl), \
        REFUSE(semget), REFUSE(semop), REFUSE(semtimedop), REFUSE(semctl), REFUSE(mq_open), REFUSE(mq_unlink),         \
        REFUSE(setuid), REFUSE(setgid), REFUSE(setgroups), REFUSE(open_by_handle_at)

/* TCP and UDP over IPv4 and IPv6; a pair of streams, which leads nowhere (a pair of datagram sockets could be sent to
 * any address of their family). */
#define SOCKETS                                                                                                \
    OF(socket, 9), LOAD(args[0]), IS(AF_INET, 2), IS(AF_INET6, 1), DENY(EAFNOSUPPORT), LOAD(args[1]), KIND_OF, \
        JUMP(JGT, SOCK_DGRAM, 0, 1), DENY(EPERM), ALLOW, OF(socketpair, 5), LOAD(args[1]), KIND_OF,            \
        IS(SOCK_STREAM, 1), DENY(EPERM), ALLOW
#define KIND_OF BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xF)

static bool install(const struct sock_filter *rules, size_t n) {
    struct sock_fprog program = { (unsigned short)n, (struct sock_filter *)(uintptr_t)rules };
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static bool filter_reader(void) {
    const struct sock_filter rules[] = { COMMON(getpid()),  OLD_FORKS,      REFUSE_WITHOUT(clone, 0, CLONE_THREAD),
                                         SOCKETS,           REFUSE(execve), REFUSE(execveat),
                                         REFUSE(prlimit64), ALLOW };
    return install(rules, sizeof rules / sizeof *rules);
}

static bool filter_program(void) {
    const struct sock_filter rules[] = {
        COMMON(getpid()), OF(prlimit64, 4),   LOAD(args[0]),   IS(0, 1), DENY(EPERM), ALLOW,
        REFUSE(socket),   REFUSE(socketpair), REFUSE(connect), ALLOW
    };
    return install(rules, sizeof rules / sizeof *rules);
}
#else
static bool filter_reader(void) { return false; }
static bool filter_program(void) { return false; }
#endif

/* No terminal to type into, no process group to signal; and since Ctrl-C no longer comes, an end with its parent. */
static void leave_session(void) {
    setsid();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static void limit_all(unsigned seconds) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NOFILE, FILES);
    limit(RLIMIT_CPU, seconds);
}

bool toad__sandbox_enter(int keep, unsigned seconds, size_t bytes) {
    keep_only(keep);
    leave_session();
    limit_all(seconds);
#ifndef SANITIZED
    limit(RLIMIT_DATA, bytes);
#else
    (void)bytes; /* a sanitizer reserves more than any limit */
#endif
    return filter_reader();
}

bool toad__sandbox_program(unsigned seconds, size_t bytes) {
    close_from(KEPT);
    leave_session();
    limit_all(seconds);
    limit(RLIMIT_AS, bytes);
    return filter_program();
}
