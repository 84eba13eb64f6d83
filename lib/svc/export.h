// Marks what the library exports. Part of <svc/svc.h>.
#pragma once

#if defined(__GNUC__)
#define SVC_API __attribute__((visibility("default")))
#else
#define SVC_API
#endif
