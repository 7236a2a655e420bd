/* sandbox.c - see sandbox.h. The filter is a list of what is refused, not of what is allowed: the libraries behind a
 * fetch (resolver, TLS) make other calls with each release, and what an attacker gains by code is in the short list of
 * calls that change something. A refused call fails with EPERM. What both profiles refuse stands in one list. */
#include "net/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
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

static void close_all(int keep) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, 0);
    dup2(null, 1);
    if (keep != KEPT) dup2(keep, KEPT);
#ifdef SYS_close_range
    if (!syscall(SYS_close_range, KEPT + 1u, ~0u, 0u)) return;
#endif
    for (int fd = KEPT + 1; fd < 65536; fd++) close(fd);
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#ifdef __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define LOAD(field)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, field))
#define RETURN(value)  BPF_STMT(BPF_RET | BPF_K, (value))
#define REFUSED(error) (SECCOMP_RET_ERRNO | ((error)&SECCOMP_RET_DATA))
#define REFUSE(call)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)SYS_##call, 0, 1), RETURN(REFUSED(EPERM))
#define ABSENT(call)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)SYS_##call, 0, 1), RETURN(REFUSED(ENOSYS))
/* Look at the low half of an argument: refuse where a bit of `bits` is set (or, for REFUSE_WITHOUT, where none is). */
#define REFUSE_WITH(call, n, bits)                                                  \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)SYS_##call, 0, 4), LOAD(args[n]), \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), RETURN(REFUSED(EPERM)), RETURN(SECCOMP_RET_ALLOW)
#define REFUSE_WITHOUT(call, n, bits)                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)SYS_##call, 0, 4), LOAD(args[n]), \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 1, 0), RETURN(REFUSED(EPERM)), RETURN(SECCOMP_RET_ALLOW)
#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

/* The calls that x86-64 has beside those of every architecture, and x32: the same calls by other numbers. */
#ifdef __x86_64__
#define OLD_CALLS                                                                                                   \
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1), RETURN(SECCOMP_RET_KILL_PROCESS),                       \
        REFUSE_WITH(open, 1, WRITES), REFUSE(creat), REFUSE(unlink), REFUSE(rename), REFUSE(link), REFUSE(symlink), \
        REFUSE(mkdir), REFUSE(rmdir), REFUSE(mknod), REFUSE(chmod), REFUSE(chown), REFUSE(lchown)
#define OLD_FORKS REFUSE(fork), REFUSE(vfork)
#else
#define OLD_CALLS LOAD(nr)
#define OLD_FORKS LOAD(nr)
#endif

/* Those of Linux 5.1 to 5.6: files opened by other means, signals to other processes and files taken out of them. */
#ifdef SYS_openat2
#define NEW_CALLS ABSENT(openat2), REFUSE(pidfd_open), REFUSE(pidfd_getfd), REFUSE(pidfd_send_signal)
#else
#define NEW_CALLS LOAD(nr)
#endif

/* What neither needs: writing files, other processes, the kernel's settings. */
#define COMMON                                                                                                      \
    LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS), LOAD(nr),        \
        OLD_CALLS, REFUSE_WITH(openat, 2, WRITES), NEW_CALLS, REFUSE(ptrace), REFUSE(process_vm_readv),             \
        REFUSE(process_vm_writev), REFUSE(kill), REFUSE(tkill), REFUSE(rt_sigqueueinfo), REFUSE(rt_tgsigqueueinfo), \
        REFUSE(unlinkat), REFUSE(renameat), REFUSE(renameat2), REFUSE(linkat), REFUSE(symlinkat), REFUSE(mkdirat),  \
        REFUSE(mknodat), REFUSE(fchmod), REFUSE(fchmodat), REFUSE(fchown), REFUSE(fchownat), REFUSE(truncate),      \
        REFUSE(ftruncate), REFUSE(setxattr), REFUSE(lsetxattr), REFUSE(fsetxattr), REFUSE(mount), REFUSE(umount2),  \
        REFUSE(pivot_root), REFUSE(chroot), REFUSE(setns), REFUSE(unshare), REFUSE(bpf), REFUSE(perf_event_open),   \
        REFUSE(keyctl), REFUSE(add_key), REFUSE(request_key), REFUSE(userfaultfd), REFUSE(io_uring_setup),          \
        REFUSE(init_module), REFUSE(finit_module), REFUSE(delete_module), REFUSE(kexec_load), REFUSE(reboot),       \
        REFUSE(swapon), REFUSE(swapoff), REFUSE(listen), REFUSE(accept), REFUSE(accept4), REFUSE(memfd_create),     \
        REFUSE(shmget), REFUSE(msgget), REFUSE(semget), REFUSE(mq_open), REFUSE(setuid), REFUSE(setgid),            \
        REFUSE(setgroups), REFUSE(setpriority), REFUSE(open_by_handle_at)

static bool install(const struct sock_filter *rules, size_t n) {
    struct sock_fprog program = { (unsigned short)n, (struct sock_filter *)(uintptr_t)rules };
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static bool filter_reader(void) {
    static const struct sock_filter rules[] = {
        COMMON,
        OLD_FORKS,
        REFUSE_WITHOUT(clone, 0, CLONE_THREAD),
        ABSENT(clone3),
        REFUSE(execve),
        REFUSE(execveat),
        REFUSE(prlimit64),
        RETURN(SECCOMP_RET_ALLOW),
    };
    return install(rules, sizeof rules / sizeof *rules);
}

static bool filter_program(void) {
    static const struct sock_filter rules[] = {
        COMMON, REFUSE(socket), REFUSE(socketpair), REFUSE(connect), RETURN(SECCOMP_RET_ALLOW),
    };
    return install(rules, sizeof rules / sizeof *rules);
}
#else
static bool filter_reader(void) { return false; }
static bool filter_program(void) { return false; }
#endif

static void limit_all(unsigned seconds) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NOFILE, FILES);
    limit(RLIMIT_CPU, seconds);
}

bool toad__sandbox_enter(int keep, unsigned seconds, size_t bytes) {
    close_all(keep);
    limit_all(seconds);
#ifndef SANITIZED
    limit(RLIMIT_DATA, bytes);
#else
    (void)bytes; /* a sanitizer reserves more than any limit */
#endif
    return filter_reader();
}

bool toad__sandbox_program(unsigned seconds, size_t bytes) {
    limit_all(seconds);
    limit(RLIMIT_AS, bytes);
    return filter_program();
}
