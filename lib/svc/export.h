// Marks what the library exports, and what of that it does not. Part of <svc/svc.h>.
#pragma once

#if defined(__GNUC__)
#define SVC_API __attribute__((visibility("default")))
#define SVC_LOCAL __attribute__((visibility("hidden")))
#else
#define SVC_API
#define SVC_LOCAL
#endif
