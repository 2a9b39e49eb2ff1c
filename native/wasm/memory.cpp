// Memory for the WebAssembly build, which has no C library: blocks in a list, the first that fits is taken.
#include <stddef.h>

extern "C" unsigned char __heap_base;

namespace {
constexpr size_t PAGE = 65536, STEP = 16;
struct alignas(16) Block { size_t size; bool taken; Block* next; };  // size: of what follows this head
Block* first = nullptr;
}  // namespace

extern "C" __attribute__((visibility("default"))) void* malloc(size_t wanted) {
  if (wanted > (size_t)1 << 30) return nullptr;
  const size_t size = ((wanted ? wanted : 1) + STEP - 1) & ~(STEP - 1);
  Block* last = nullptr;
  for (Block* b = first; b; last = b, b = b->next) {
    if (b->taken) continue;
    while (b->next && !b->next->taken) { b->size += sizeof(Block) + b->next->size; b->next = b->next->next; }
    if (b->size < size) continue;
    if (b->size >= size + sizeof(Block) + STEP) {  // what is left over stays free
      Block* rest = (Block*)((unsigned char*)(b + 1) + size);
      *rest = {b->size - size - sizeof(Block), false, b->next};
      b->size = size;
      b->next = rest;
    }
    b->taken = true;
    return b + 1;
  }
  size_t end = last ? (size_t)(last + 1) + last->size : ((size_t)&__heap_base + STEP - 1) & ~(STEP - 1);
  const size_t until = end + sizeof(Block) + size, there = __builtin_wasm_memory_size(0) * PAGE;
  if (until > there && __builtin_wasm_memory_grow(0, (until - there + PAGE - 1) / PAGE) == (size_t)-1) return nullptr;
  Block* made = (Block*)end;
  *made = {size, true, nullptr};
  (last ? last->next : first) = made;
  return made + 1;
}

extern "C" __attribute__((visibility("default"))) void free(void* at) {
  if (at) ((Block*)at - 1)->taken = false;
}
