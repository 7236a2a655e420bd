/* libcurl.h - libcurl as fetch.c uses it, loaded when something is first fetched.
 *
 * Linked, it and what it drags in (OpenSSL, nghttp2, LDAP, Kerberos: 30 libraries) would be loaded at every start of
 * `toadstone scan`. As in store/postgres/libpq.h, each call goes through a table whose fields have the types that
 * <curl/curl.h> declares. Nothing may be called before toad__curl_load has succeeded. */
#ifndef TOAD_NET_LIBCURL_H
#define TOAD_NET_LIBCURL_H

#include "toadstone/types.h"

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define TOAD__CURL(X)           \
    X(curl_global_init)         \
    X(curl_easy_init)           \
    X(curl_easy_cleanup)        \
    X(curl_easy_setopt)         \
    X(curl_easy_perform)        \
    X(curl_easy_getinfo)        \
    X(curl_easy_strerror)       \
    X(curl_slist_append)        \
    X(curl_slist_free_all)      \
    X(curl_multi_init)          \
    X(curl_multi_cleanup)       \
    X(curl_multi_setopt)        \
    X(curl_multi_add_handle)    \
    X(curl_multi_remove_handle) \
    X(curl_multi_socket_action) \
    X(curl_multi_info_read)

typedef struct toad__curl_table {
#define X(name) __typeof__(name) *name;
    TOAD__CURL(X)
#undef X
} toad__curl_table;

extern toad__curl_table toad__curl;

/* Load libcurl, once a process: a failure stays. NULL, or why it cannot be used (static). Thread rule: any thread. */
const char *toad__curl_load(void);

#define curl_global_init    toad__curl.curl_global_init
#define curl_easy_init      toad__curl.curl_easy_init
#define curl_easy_cleanup   toad__curl.curl_easy_cleanup
#define curl_easy_setopt    toad__curl.curl_easy_setopt
#define curl_easy_perform   toad__curl.curl_easy_perform
#define curl_easy_getinfo   toad__curl.curl_easy_getinfo
#define curl_easy_strerror  toad__curl.curl_easy_strerror
#define curl_slist_append   toad__curl.curl_slist_append
#define curl_slist_free_all toad__curl.curl_slist_free_all

#define curl_multi_init          toad__curl.curl_multi_init
#define curl_multi_cleanup       toad__curl.curl_multi_cleanup
#define curl_multi_setopt        toad__curl.curl_multi_setopt
#define curl_multi_add_handle    toad__curl.curl_multi_add_handle
#define curl_multi_remove_handle toad__curl.curl_multi_remove_handle
#define curl_multi_socket_action toad__curl.curl_multi_socket_action
#define curl_multi_info_read     toad__curl.curl_multi_info_read

#endif
