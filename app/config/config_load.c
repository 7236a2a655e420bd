/* config_load.c - which files there are. A project's file is untrusted: no link, no device, no pipe is opened for it.
 */
#include "app/config/config_internal.h"
#include "lib/base/str.h"
#include "sys/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { UPWARDS = 64 }; /* directories looked at for a project's file */

extern char **environ;

/* Read all of a regular file. Returns 0 or an errno. */
static int slurp(const char *path, bool follow, toad__buf *out) {
    struct stat st;
    int err = 0, fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (follow ? 0 : O_NOFOLLOW));
    if (fd < 0) return errno;
    if (fstat(fd, &st))
        err = errno;
    else if (S_ISDIR(st.st_mode))
        err = EISDIR;
    else if (!S_ISREG(st.st_mode))
        err = EINVAL;
    while (!err) {
        char *room = toad__buf_room(out, 4096);
        if (!room) break;
        ssize_t n = read(fd, room, 4096);
        if (n < 0) err = errno == EINTR ? 0 : errno;
        if (n == 0) break;
        if (n > 0) out->n += (size_t)n;
    }
    close(fd);
    return err;
}

toad_status toad__config_add_file(toad__config *c, toad__layer layer, const char *path, bool optional) {
    toad__buf text;
    toad__place_of at = { layer, toad__arena_dup(&c->arena, toad__str_z(path)).p, 0 };
    if (!at.file) return TOAD_E_NOMEM;
    toad__buf_init(&text, TOAD__CONFIG_FILE + 8192);
    int err = slurp(path, layer != TOAD__LAYER_PROJECT, &text);
    bool missing = err == ENOENT || err == ENOTDIR;
    toad_status status = TOAD_OK;
    if (text.status == TOAD_E_NOMEM)
        status = TOAD_E_NOMEM;
    else if (err && !(missing && optional))
        status = toad__config_complain(c, &at, "", "it cannot be read: %s", strerror(err));
    else if (!err)
        status = toad__config_add_yaml(c, layer, path, text.n ? toad__buf_str(&text) : TOAD__S(""));
    toad__buf_free(&text);
    return status;
}

static toad_status add_user_file(toad__config *c) {
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char path[4096];
    int n = toad__path_is_absolute(config) ? snprintf(path, sizeof path, "%s/toadstone/config.yaml", config)
            : toad__path_is_absolute(home) ? snprintf(path, sizeof path, "%s/.config/toadstone/config.yaml", home)
                                           : 0;
    return n > 0 && (size_t)n < sizeof path ? toad__config_add_file(c, TOAD__LAYER_USER, path, true) : TOAD_OK;
}

static bool exists(const char *directory, const char *name) {
    char path[4200];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", strcmp(directory, "/") ? directory : "", name);
    return !lstat(path, &st);
}

/* From the working directory up to the root of its repository. */
static toad_status add_project_file(toad__config *c) {
    char directory[4096], path[4200];
    if (!getcwd(directory, sizeof directory)) return TOAD_OK;
    for (int i = 0; i < UPWARDS; i++) {
        if (exists(directory, ".toadstone.yaml")) {
            snprintf(path, sizeof path, "%s/.toadstone.yaml", strcmp(directory, "/") ? directory : "");
            return toad__config_add_file(c, TOAD__LAYER_PROJECT, path, true);
        }
        char *slash = strrchr(directory, '/');
        if (exists(directory, ".git") || !slash || !directory[1]) break;
        slash[slash == directory] = 0;
    }
    return TOAD_OK;
}

toad_status toad__config_load(toad__config *c) {
    toad_status status = toad__config_add_file(c, TOAD__LAYER_SYSTEM, "/etc/toadstone/config.yaml", true);
    if (!status) status = add_user_file(c);
    if (!status) status = add_project_file(c);
    return status ? status : toad__config_add_environment(c, environ);
}
