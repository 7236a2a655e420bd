/* libpq.h - libpq as postgres.c uses it, loaded when a PostgreSQL store is first opened.
 *
 * Linked, it and what it drags in (GnuTLS, LDAP, Kerberos: 21 libraries and 2 ms on Debian 12) would be loaded at every
 * start, and users of SQLite would have to install it. Included in place of <libpq-fe.h>, this header turns each call
 * into one through a table whose fields have the types that <libpq-fe.h> declares: a wrong call does not compile, and
 * one of a function that is not listed here does not link. Nothing may be called before toad__pq_load has succeeded. */
#ifndef TOAD_STORE_POSTGRES_LIBPQ_H
#define TOAD_STORE_POSTGRES_LIBPQ_H

#include "store/backend.h"

#include <libpq-fe.h>

/* X(name); for each function. */
#define TOAD__PQ(X)          \
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

typedef struct toad__pq_table {
#define X(name) __typeof__(name) *name
    TOAD__PQ(X)
#undef X
} toad__pq_table;

extern toad__pq_table toad__pq;

/* Load libpq, once a process: a failure stays. Errors: TOAD_E_IO (libpq is not installed, or too old). Thread rule: any
 * thread. */
toad_status toad__pq_load(void);

#define PQclear              toad__pq.PQclear
#define PQcmdTuples          toad__pq.PQcmdTuples
#define PQconnectdbParams    toad__pq.PQconnectdbParams
#define PQconsumeInput       toad__pq.PQconsumeInput
#define PQenterPipelineMode  toad__pq.PQenterPipelineMode
#define PQerrorMessage       toad__pq.PQerrorMessage
#define PQexec               toad__pq.PQexec
#define PQfinish             toad__pq.PQfinish
#define PQftype              toad__pq.PQftype
#define PQgetResult          toad__pq.PQgetResult
#define PQgetisnull          toad__pq.PQgetisnull
#define PQgetlength          toad__pq.PQgetlength
#define PQgetvalue           toad__pq.PQgetvalue
#define PQisBusy             toad__pq.PQisBusy
#define PQnfields            toad__pq.PQnfields
#define PQntuples            toad__pq.PQntuples
#define PQparameterStatus    toad__pq.PQparameterStatus
#define PQpipelineSync       toad__pq.PQpipelineSync
#define PQresultErrorField   toad__pq.PQresultErrorField
#define PQresultErrorMessage toad__pq.PQresultErrorMessage
#define PQresultStatus       toad__pq.PQresultStatus
#define PQsendPrepare        toad__pq.PQsendPrepare
#define PQsendQueryParams    toad__pq.PQsendQueryParams
#define PQsendQueryPrepared  toad__pq.PQsendQueryPrepared
#define PQserverVersion      toad__pq.PQserverVersion
#define PQsetNoticeReceiver  toad__pq.PQsetNoticeReceiver
#define PQstatus             toad__pq.PQstatus

#endif
