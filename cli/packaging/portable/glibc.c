// Functions that Debian 12's archives take from glibc 2.35 and 2.36, so that the portable programs
// run with 2.34 too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

// libstdc++'s random_device.
uint32_t arc4random(void) {
  uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) abort();
  return value;
}

// jq's: the one before errno was left alone.
#ifdef __x86_64__
__asm__(".symver earlier_hypot,hypot@GLIBC_2.2.5");
#else
__asm__(".symver earlier_hypot,hypot@GLIBC_2.17");
#endif
double earlier_hypot(double x, double y);
double hypot(double x, double y) {
  return earlier_hypot(x, y);
}

// libgcc's, to unwind.
struct search {
  uintptr_t address;
  struct dl_find_object* found;
};

static int visit(struct dl_phdr_info* info, size_t size, void* data) {
  struct search* search = data;
  uintptr_t frames = 0;
  uintptr_t begin = 0;
  uintptr_t length = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* header = &info->dlpi_phdr[i];
    const uintptr_t at = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME) frames = at;
    if (header->p_type != PT_LOAD || search->address - at >= header->p_memsz) continue;
    begin = at;
    length = header->p_memsz;
  }
  if (length == 0) return 0;
  search->found->dlfo_map_start = (void*)begin;
  search->found->dlfo_map_end = (void*)(begin + length);
  search->found->dlfo_eh_frame = (void*)frames;
  return frames == 0 ? -1 : 1;
}

int _dl_find_object(void* address, struct dl_find_object* found) {
  struct search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(visit, &search) == 1 ? 0 : -1;
}
