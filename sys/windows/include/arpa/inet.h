/* arpa/inet.h - addresses as text. */
#ifndef TOAD_WINDOWS_INET_H
#define TOAD_WINDOWS_INET_H

#include <winsock2.h>
#include <ws2tcpip.h>

#endif
