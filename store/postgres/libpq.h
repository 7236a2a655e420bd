/* libpq.h - libpq as postgres.c uses it, loaded when a PostgreSQL store is first opened.
 *
 * Linked, it and what it drags in (GnuTLS, LDAP, Kerberos: 21 libraries and 2 ms on Debian 12) would be loaded at every
 * start, and users of SQLite would have to install it. Included in place of <libpq-fe.h>, this header turns each call
 * into one through a table whose fields have the types that <libpq-fe.h> declares: a wrong call does not compile, and
 * one of a function that is not listed here does not link. Nothing may be called before bzr__pq_load has succeeded. */
#ifndef BZR_STORE_POSTGRES_LIBPQ_H
#define BZR_STORE_POSTGRES_LIBPQ_H

#include "store/backend.h"

#include <libpq-fe.h>

/* X(name); for each function. */
#define BZR__PQ(X)           \
    X(PQclear);              \
    X(PQcmdTuples);          \
    X(PQconnectdbParams);    \
    X(PQconsumeInput);       \
    X(PQenterPipelineMode);  \
    X(PQerrorMessage);       \
    X(PQexec);               \
    X(PQfinish);             \
    X(PQftype);              \
    X(PQgetResult);          \
    X(PQgetisnull);          \
    X(PQgetlength);          \
    X(PQgetvalue);           \
    X(PQisBusy);             \
    X(PQnfields);            \
    X(PQntuples);            \
    X(PQparameterStatus);    \
    X(PQpipelineSync);       \
    X(PQresultErrorField);   \
    X(PQresultErrorMessage); \
    X(PQresultStatus);       \
    X(PQsendPrepare);        \
    X(PQsendQueryParams);    \
    X(PQsendQueryPrepared);  \
    X(PQserverVersion);      \
    X(PQsetNoticeReceiver);  \
    X(PQstatus);

typedef struct bzr__pq_table {
#define X(name) __typeof__(name) *name
    BZR__PQ(X)
#undef X
} bzr__pq_table;

extern bzr__pq_table bzr__pq;

/* Load libpq, once a process: a failure stays. Errors: BZR_E_IO (libpq is not installed, or too old). Thread rule: any
 * thread. */
bzr_status bzr__pq_load(void);

#define PQclear              bzr__pq.PQclear
#define PQcmdTuples          bzr__pq.PQcmdTuples
#define PQconnectdbParams    bzr__pq.PQconnectdbParams
#define PQconsumeInput       bzr__pq.PQconsumeInput
#define PQenterPipelineMode  bzr__pq.PQenterPipelineMode
#define PQerrorMessage       bzr__pq.PQerrorMessage
#define PQexec               bzr__pq.PQexec
#define PQfinish             bzr__pq.PQfinish
#define PQftype              bzr__pq.PQftype
#define PQgetResult          bzr__pq.PQgetResult
#define PQgetisnull          bzr__pq.PQgetisnull
#define PQgetlength          bzr__pq.PQgetlength
#define PQgetvalue           bzr__pq.PQgetvalue
#define PQisBusy             bzr__pq.PQisBusy
#define PQnfields            bzr__pq.PQnfields
#define PQntuples            bzr__pq.PQntuples
#define PQparameterStatus    bzr__pq.PQparameterStatus
#define PQpipelineSync       bzr__pq.PQpipelineSync
#define PQresultErrorField   bzr__pq.PQresultErrorField
#define PQresultErrorMessage bzr__pq.PQresultErrorMessage
#define PQresultStatus       bzr__pq.PQresultStatus
#define PQsendPrepare        bzr__pq.PQsendPrepare
#define PQsendQueryParams    bzr__pq.PQsendQueryParams
#define PQsendQueryPrepared  bzr__pq.PQsendQueryPrepared
#define PQserverVersion      bzr__pq.PQserverVersion
#define PQsetNoticeReceiver  bzr__pq.PQsetNoticeReceiver
#define PQstatus             bzr__pq.PQstatus

#endif
