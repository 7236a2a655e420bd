/* libcurl.h - libcurl as fetch.c uses it, loaded when something is first fetched.
 *
 * Linked, it and what it drags in (OpenSSL, nghttp2, LDAP, Kerberos: 30 libraries) would be loaded at every start of
 * `bezoar scan`. As in store/postgres/libpq.h, each call goes through a table whose fields have the types that
 * <curl/curl.h> declares. Nothing may be called before bzr__curl_load has succeeded. */
#ifndef BZR_NET_LIBCURL_H
#define BZR_NET_LIBCURL_H

#include "bezoar/types.h"

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define BZR__CURL(X)                                                                                         \
    X(curl_global_init)                                                                                      \
    X(curl_easy_init)                                                                                        \
    X(curl_easy_cleanup)                                                                                     \
    X(curl_easy_setopt) X(curl_easy_perform) X(curl_easy_getinfo) X(curl_easy_strerror) X(curl_slist_append) \
        X(curl_slist_free_all)                                                                               \
    X(curl_multi_init)                                                                                       \
    X(curl_multi_cleanup)                                                                                    \
    X(curl_multi_setopt)                                                                                     \
    X(curl_multi_add_handle) X(curl_multi_remove_handle) X(curl_multi_socket_action) X(curl_multi_info_read)

typedef struct bzr__curl_table {
#define X(name) __typeof__(name) *name;
    BZR__CURL(X)
#undef X
} bzr__curl_table;

extern bzr__curl_table bzr__curl;

/* Load libcurl, once a process: a failure stays. NULL, or why it cannot be used (static). Thread rule: any thread. */
const char *bzr__curl_load(void);

#define curl_global_init    bzr__curl.curl_global_init
#define curl_easy_init      bzr__curl.curl_easy_init
#define curl_easy_cleanup   bzr__curl.curl_easy_cleanup
#define curl_easy_setopt    bzr__curl.curl_easy_setopt
#define curl_easy_perform   bzr__curl.curl_easy_perform
#define curl_easy_getinfo   bzr__curl.curl_easy_getinfo
#define curl_easy_strerror  bzr__curl.curl_easy_strerror
#define curl_slist_append   bzr__curl.curl_slist_append
#define curl_slist_free_all bzr__curl.curl_slist_free_all

#define curl_multi_init          bzr__curl.curl_multi_init
#define curl_multi_cleanup       bzr__curl.curl_multi_cleanup
#define curl_multi_setopt        bzr__curl.curl_multi_setopt
#define curl_multi_add_handle    bzr__curl.curl_multi_add_handle
#define curl_multi_remove_handle bzr__curl.curl_multi_remove_handle
#define curl_multi_socket_action bzr__curl.curl_multi_socket_action
#define curl_multi_info_read     bzr__curl.curl_multi_info_read

#endif
