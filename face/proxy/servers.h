/* servers.h - many servers from a file, in the form that clients' configurations have:
 * {"mcpServers":{"NAME":{"command":"npx","args":["..."],"env":{"A":"b"},"cwd":"/srv"},
 *                "OTHER":{"url":"https://...","headers":{"A":"b"}}}}
 * also under "servers". Names are those that --name takes. What a file says runs on this machine: it is the user's own.
 */
#ifndef TOAD_FACE_PROXY_SERVERS_H
#define TOAD_FACE_PROXY_SERVERS_H

#include "face/proxy/session.h"
#include "lib/base/json.h"

typedef struct proxy_servers {
    toad__arena arena;
    proxy_target *targets;
    size_t n;
} proxy_servers;

/* Read the text of a file; `more_env` is passed on to all. False: `why` names the server and the member. Free either
 * way. */
bool proxy_servers_read(toad_str text, const char *const *more_env, size_t more_env_n, proxy_servers *ret,
                        char why[256]);
void proxy_servers_free(proxy_servers *s);
/* Is it a name for a server? 1 to 64 letters, digits and ._- */
bool proxy_is_name(toad_str name);

#endif
