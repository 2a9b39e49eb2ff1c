// Networks of other programs: reading .mocar files (docs/embedding.md has the format).
//
// A file is untrusted: sizes are checked before anything is read, every number is finite and in range, and
// indices are checked here or by the core itself before the first step.
#include "network.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "mocapella's files are little-endian, and so has the machine to be"
#endif
#if !defined(__wasm__)
#include <stdio.h>
#endif

namespace mocapella {
namespace {
enum Kind { TEXT, WHOLE, SINGLE, DOUBLE };
constexpr unsigned SIZES[] = {1, 4, 4, 8};
constexpr unsigned HEAD = 32, ENTRY = 32, MOST_SECTIONS = 4096, VERSION = 2;
constexpr unsigned char MAGIC[8] = {0x89, 'M', 'O', 'C', 'A', 'R', 0x0a, 0x1a};
constexpr double LARGEST = 1e6;  // of any number in a file: metres, radians, points in their units
struct Section { const unsigned char* at; long long count; };

unsigned word(const unsigned char* at) { unsigned x; copy(&x, at, 4); return x; }
bool equal(const unsigned char* a, const char* b, unsigned n) {
  for (unsigned k = 0; k < n; ++k) {
    if (a[k] != (unsigned char)b[k]) return false;
    if (!b[k]) break;
  }
  return true;
}

unsigned checksum(const unsigned char* at, size_t n) {  // CRC-32 as in zlib
  unsigned table[256], sum = ~0u;
  for (unsigned k = 0; k < 256; ++k) {
    unsigned x = k;
    for (int bit = 0; bit < 8; ++bit) x = x & 1 ? 0xedb88320u ^ (x >> 1) : x >> 1;
    table[k] = x;
  }
  for (size_t k = 0; k < n; ++k) sum = table[(sum ^ at[k]) & 255] ^ (sum >> 8);
  return ~sum;
}

struct Reader {
  const unsigned char* bytes;
  unsigned from, to;  // the sections of the group that is read
  mocapella_status status;

  bool begins(unsigned section, const char* name) const { return equal(bytes + HEAD + ENTRY * section, name, 16); }
  // A section by its name; where it is missing, of another kind or of another length, that is the status.
  Section take(const char* name, Kind kind, long long count) {
    if (status) return {nullptr, 0};
    for (unsigned k = from; k < to; ++k) {
      const unsigned char* entry = bytes + HEAD + ENTRY * k;
      if (!equal(entry, name, 16)) continue;
      const long long found = word(entry + 20);
      if (word(entry + 16) != kind) status = fail(MOCAPELLA_BAD_FILE, "a section has numbers of another kind: ", name);
      else if (count >= 0 && found != count) status = fail(MOCAPELLA_BAD_FILE, "a section has another length than the network needs: ", name);
      else return {bytes + word(entry + 24), found};
      return {nullptr, 0};
    }
    status = fail(MOCAPELLA_BAD_FILE, "a section is missing: ", name);
    return {nullptr, 0};
  }
  const int* whole(const char* name, long long count) { return (const int*)take(name, WHOLE, count).at; }
  const float* single(const char* name, long long count) { return (const float*)take(name, SINGLE, count).at; }
  const double* twice(const char* name, long long count) { return (const double*)take(name, DOUBLE, count).at; }
};

// The head and the list of sections: sizes, places and every number within bounds.
mocapella_status check_frame(const unsigned char* bytes, size_t size, unsigned& sections) {
  if (size < HEAD || !equal(bytes, (const char*)MAGIC, 8)) return fail(MOCAPELLA_BAD_FILE, "this is not a .mocar file");
  if (word(bytes + 8) != VERSION) return fail_at(MOCAPELLA_BAD_FILE, "this library reads .mocar files of version 2; export the file again, it is of version ", word(bytes + 8));
  if (word(bytes + 16) != size || word(bytes + 20)) return fail(MOCAPELLA_BAD_FILE, "the file is not as long as it says: it was cut off");
  sections = word(bytes + 12);
  if (sections > MOST_SECTIONS || HEAD + ENTRY * sections > size) return fail(MOCAPELLA_BAD_FILE, "the file says that it has more sections than it can have");
  if (word(bytes + 24) != checksum(bytes + HEAD, size - HEAD)) return fail(MOCAPELLA_BAD_FILE, "the file is damaged: its checksum is another one");
  unsigned long long end = HEAD + ENTRY * sections;  // of the section before: none is read twice, so time is bounded
  for (unsigned k = 0; k < sections; ++k) {
    const unsigned char* entry = bytes + HEAD + ENTRY * k;
    const unsigned kind = word(entry + 16), count = word(entry + 20), offset = word(entry + 24);
    if (kind > DOUBLE) return fail_at(MOCAPELLA_BAD_FILE, "a section is of an unknown kind: number ", k);
    if (offset % 16 || offset > size || (unsigned long long)count * SIZES[kind] > size - offset)
      return fail_at(MOCAPELLA_BAD_FILE, "a section lies outside of the file: number ", k);
    if (offset < end) return fail_at(MOCAPELLA_BAD_FILE, "a section lies over the one before: number ", k);
    end = offset + (unsigned long long)count * SIZES[kind];
    for (unsigned i = 0; kind == WHOLE && i < count; ++i) {
      const int x = ((const int*)(bytes + offset))[i];
      if (x < -1 || x > (1 << 24)) return fail_at(MOCAPELLA_BAD_FILE, "a whole number is out of range in section number ", k);
    }
    for (unsigned i = 0; kind == SINGLE && i < count; ++i) {
      const float x = ((const float*)(bytes + offset))[i];
      if (!(x >= -LARGEST && x <= LARGEST)) return fail_at(MOCAPELLA_BAD_FILE, "a number is NaN, infinite or beyond a million in section number ", k);
    }
    for (unsigned i = 0; kind == DOUBLE && i < count; ++i) {
      const double x = ((const double*)(bytes + offset))[i];
      if (!(x >= -LARGEST && x <= LARGEST)) return fail_at(MOCAPELLA_BAD_FILE, "a number is NaN, infinite or beyond a million in section number ", k);
    }
  }
  return MOCAPELLA_OK;
}

// Names one after the other, each ended by a zero.
const char** names_of(Reader& file, const char* section, int count) {
  const Section text = file.take(section, TEXT, -1);
  if (file.status) return nullptr;
  const char** out = (const char**)malloc(sizeof(char*) * (size_t)(count > 0 ? count : 1));
  if (!out) { file.status = fail(MOCAPELLA_NO_MEMORY, "there is no memory for names"); return nullptr; }
  long long at = 0;
  for (int k = 0; k < count; ++k) {
    out[k] = (const char*)text.at + at;
    while (at < text.count && text.at[at]) ++at;
    if (at++ >= text.count) { file.status = fail(MOCAPELLA_BAD_FILE, "a name has no end: section ", section); break; }
  }
  return out;
}

void read_core(Reader& file, mocapella_network& n) {
  Tables& t = n.tables;
  const int* number = file.whole("numbers", 18);
  if (!number) return;
  t.abi = MOCAPELLA_ABI;
  int* const into[] = {&t.joints, &t.harmonics, &t.stride, &t.n_plain, &t.n_columns, &t.first, &t.corners, &t.triangles, &t.parts, &t.n_plants, &t.row, &t.n_noisy,
                       &n.ends, &n.nodes, &n.node_triangles, &n.corners, &n.cells};
  for (unsigned k = 0; k < sizeof into / sizeof *into; ++k) {
    *into[k] = number[k];
    if (number[k] < 0 || number[k] > (1 << 20)) { file.status = fail_at(MOCAPELLA_BAD_FILE, "a size is out of range: ", number[k]); return; }
  }
  if (number[17] != MOCAPELLA_ABI) { file.status = fail_at(MOCAPELLA_BAD_FILE, "the tables are of another version of the core: ", number[17]); return; }
  static const char* const single[] = {"coefficients", "map", "point", "energy", "product", "seconds", "gait", "offset"};
  const float** const singles[] = {&t.coefficients, &t.map, &t.point, &t.energy, &t.product, &t.seconds, &t.gait, &t.offset};
  const int single_place[] = {0, 3, 4, 5, 6, 7, 8, 10};
  for (int k = 0; k < 8; ++k) {
    const Section found = file.take(single[k], SINGLE, -1);
    *singles[k] = (const float*)found.at;
    t.size[single_place[k]] = found.count;
  }
  static const char* const whole[] = {"triangle", "neighbour", "parent", "column", "left_chain", "right_chain", "noisy"};
  const int** const wholes[] = {&t.triangle, &t.neighbour, &t.parent, &t.column, &t.chain[0], &t.chain[1], &t.noisy};
  const int whole_place[] = {1, 2, 9, 11, 12, 13, 14};
  for (int k = 0; k < 7; ++k) {
    const Section found = file.take(whole[k], WHOLE, -1);
    *wholes[k] = (const int*)found.at;
    t.size[whole_place[k]] = found.count;
  }
  if (const float* settings = file.single("settings", sizeof(Settings) / 4)) copy(&t.set, settings, sizeof(Settings));
  if (const Section legs = file.take("legs", TEXT, 2 * sizeof(Leg)); legs.at) copy(t.leg, legs.at, 2 * sizeof(Leg));
}

// What the core takes as given: it checks indices, not what they lead to.
mocapella_status check_core(const mocapella_network& n) {
  const Tables& t = n.tables;
  const Step step = {0.f, 0.f, 1.f, 1e9f, 0.f, t.harmonics, t.n_columns, 0.f, 0, 0.f};
  if (const int wrong = crowd_step(&t, &step, nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr, 1))
    return fail_at(MOCAPELLA_BAD_FILE, "the core refuses the tables of this file, reason ", wrong);
  for (int side = 0; side < 2; ++side) {
    if (t.chain[side][0] && t.leg[side].hip) return fail(MOCAPELLA_BAD_FILE, "the root is part of a leg that does not begin there");
    const float* numbers = t.leg[side].heel_at;
    for (unsigned k = 0; k < sizeof(Leg) / 4 - 4; ++k)
      if (!(numbers[k] >= -LARGEST && numbers[k] <= LARGEST)) return fail(MOCAPELLA_BAD_FILE, "a measure of a leg is NaN, infinite or beyond a million");
  }
  const int vertices = (t.parts + 1) * (t.parts + 2) / 2;
  for (long long k = 0; k < (long long)t.triangles * vertices; ++k)
    if (!(t.gait[k * t.row] >= 1e-3f && t.gait[k * t.row] <= 1e4f)) return fail(MOCAPELLA_BAD_FILE, "a cycle lasts less than a millisecond, or hours");
  if (!(t.set.root_shift_time > 1e-6f)) return fail(MOCAPELLA_BAD_FILE, "the time in which the root makes way is not above zero");
  return MOCAPELLA_OK;
}

void read_plane(Reader& file, mocapella_network& n) {
  if (const double* plane = file.twice("plane", 7)) {
    copy(n.centre, plane, 16);
    n.size = plane[2];
    copy(n.low, plane + 3, 16);
    copy(n.high, plane + 5, 16);
    if (!(n.size > 1e-12) || !(n.low[0] < n.high[0]) || !(n.low[1] < n.high[1])) file.status = fail(MOCAPELLA_BAD_FILE, "the plane of the network has no size");
  }
  n.node_triangle = file.whole("node_triangles", 3ll * n.node_triangles);
  for (int k = 0; !file.status && k < 3 * n.node_triangles; ++k)
    if (n.node_triangle[k] < -1 || n.node_triangle[k] >= n.nodes) file.status = fail(MOCAPELLA_BAD_FILE, "a triangle names a node that there is not");
  for (int k = 0; !file.status && k < n.tables.corners; ++k)
    for (int i = 0; i < 2; ++i) {
      const float x = n.tables.point[2 * k + i];
      if (k == 0 || x < n.box[i]) n.box[i] = x;
      if (k == 0 || x > n.box[2 + i]) n.box[2 + i] = x;
    }
}

void read_block(Reader& file, mocapella_network& n) {
  const Tables& t = n.tables;
  if (!file.status && (n.cells < 2 || n.cells > 1024 || n.nodes < 1)) file.status = fail(MOCAPELLA_BAD_FILE, "there are no nodes, or no table of rates");
  n.rates = file.single("rates", 2ll * t.triangles * ((t.parts + 1) * (t.parts + 2) / 2));
  n.rate_points = file.single("rate_points", 2ll * n.cells * n.cells);
  n.node_point = file.twice("node_points", 2ll * n.nodes);
  n.outline = file.twice("outline", 2ll * n.corners);
  n.outline_loop = file.whole("outline_loops", n.corners);
  n.end_joint = file.whole("end_joints", n.ends);
  n.end_offset = file.single("end_offsets", 3ll * n.ends);
  n.joint_name = names_of(file, "joint_names", t.joints);
  n.node_name = names_of(file, "node_names", n.nodes);
  const char** name = names_of(file, "block", 1);
  if (name) n.name = name[0];
  free(name);
  for (int k = 0; !file.status && k < n.ends; ++k)
    if (n.end_joint[k] < 0 || n.end_joint[k] >= t.joints) file.status = fail(MOCAPELLA_BAD_FILE, "an end hangs on a joint that there is not");
}

// Whether a number counts some of so many things; where not, that is the status.
bool within(Reader& file, int number, int count, const char* what) {
  if (!file.status && (number < 0 || number >= count)) file.status = fail(MOCAPELLA_BAD_FILE, "what a captured change refers to is not there: ", what);
  return !file.status;
}

void read_way(Reader& file, const Whole& whole, mocapella_network& n) {
  const int* leads = file.whole("way", 2);
  if (!leads || !within(file, leads[0], whole.blocks, "a block") || !within(file, leads[1], whole.part[leads[0]].nodes, "a node")) return;
  const mocapella_network& block = whole.part[leads[0]];
  n.block = leads[0];
  n.node = leads[1];
  n.name = block.name;
  n.node_point = block.node_point;
  if (n.nodes != block.nodes) file.status = fail(MOCAPELLA_BAD_FILE, "a way to a captured change has other nodes than its block");
}

// One skeleton moves in all parts: poses of one are read as poses of another.
bool same_skeleton(const Tables& a, const Tables& b) {
  if (a.joints != b.joints) return false;
  for (int j = 0; j < a.joints; ++j)
    if (a.parent[j] != b.parent[j]) return false;
  for (int k = 0; k < 3 * a.joints; ++k)
    if (a.offset[k] != b.offset[k]) return false;
  return true;
}

void read_part(Reader& file, Whole& whole, int number) {
  mocapella_network& n = whole.part[number];
  n.whole = &whole;
  n.block = number;
  n.node = -1;
  read_core(file, n);
  if (!file.status) file.status = check_core(n);
  if (!file.status && number < whole.blocks) read_block(file, n);
  else if (!file.status) read_way(file, whole, n);
  if (!file.status) read_plane(file, n);
  if (!file.status && !same_skeleton(n.tables, whole.part[0].tables)) file.status = fail(MOCAPELLA_BAD_FILE, "blocks have different skeletons");
  if (n.tables.triangles > whole.triangles) whole.triangles = n.tables.triangles;
}

bool leads_to(const mocapella_network& part, int number, int block, int node) {
  return part.block == block && (part.node == node || number == block);
}

void read_recording(Reader& file, const Whole& whole, Recording& r, const int* words, const double* data, const float* rows, const unsigned char* planted, int frames) {
  const int width = 4 + 4 * whole.part[0].tables.joints;
  if (!within(file, words[0], whole.parts, "a way") || !within(file, words[1], frames, "a frame")) return;
  r = {words[0], words[2], data[0], data[1], {data[2], data[3]}, data[4], rows + (long long)width * words[1], planted + words[1]};
  if (r.frames < 2 || r.frames > frames - words[1]) file.status = fail(MOCAPELLA_BAD_FILE, "a captured change has too few frames, or more than there are");
  else if (!(r.phase >= 0.0 && r.phase <= 6.3) || !(r.arrive >= 0.0 && r.arrive <= 6.3)) file.status = fail(MOCAPELLA_BAD_FILE, "a captured change begins or ends at a phase beyond a cycle");
  else if (!(r.rate >= 1.0 && r.rate <= 1000.0)) file.status = fail(MOCAPELLA_BAD_FILE, "a captured change has fewer than one or more than a thousand frames a second");
}

void read_changes(Reader& file, Whole& whole) {
  const int* sizes = file.whole("changes", 3);
  if (!sizes) return;
  const int n = sizes[0], recordings = sizes[1], frames = sizes[2];
  const int* words = file.whole("change_words", 8ll * n);
  const double* zones = file.twice("change_zones", n);
  const int* own = file.whole("recording_words", 3ll * recordings);
  const double* data = file.twice("recording_data", 5ll * recordings);
  const float* rows = file.single("frames", (long long)frames * (4 + 4 * whole.part[0].tables.joints));
  const Section planted = file.take("frame_plants", TEXT, frames);
  if (file.status || n < 1) return;
  const char** names = names_of(file, "change_names", n);
  whole.change = (Change*)malloc(sizeof(Change) * (size_t)n);
  whole.recording = (Recording*)malloc(sizeof(Recording) * (size_t)(recordings > 0 ? recordings : 1));
  if (!whole.change || !whole.recording) file.status = fail(MOCAPELLA_NO_MEMORY, "there is no memory for captured changes");
  for (int k = 0; !file.status && k < recordings; ++k) read_recording(file, whole, whole.recording[k], own + 3 * k, data + 5 * k, rows, planted.at, frames);
  for (int k = 0; !file.status && k < n; ++k) {
    const int* w = words + 8 * k;
    if (!within(file, w[0], whole.blocks, "a block") || !within(file, w[1], whole.part[w[0]].nodes, "a node")) break;
    if (!within(file, w[2], whole.blocks, "a block") || !within(file, w[3], whole.part[w[2]].nodes, "a node")) break;
    if (!within(file, w[4], whole.parts, "a way") || !within(file, w[5], recordings, "a recording")) break;
    whole.change[k] = {names[k], w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7] != 0, zones[k]};
    bool sound = w[6] >= 1 && w[6] <= 2 && w[6] <= recordings - w[5] && zones[k] > 0.0 && zones[k] <= 1.0 && leads_to(whole.part[w[4]], w[4], w[0], w[1]);
    for (int v = 0; sound && v < w[6]; ++v) sound = leads_to(whole.part[whole.recording[w[5] + v].way], whole.recording[w[5] + v].way, w[2], w[3]);
    if (!sound) file.status = fail(MOCAPELLA_BAD_FILE, "the ways, versions or trigger zone of a captured change are not those of its blocks: ", names[k]);
  }
  if (!file.status) whole.changes = n;
  free(names);
}

// Groups of sections begin with one of these names: blocks come first, then ways, then changes.
mocapella_status read_groups(const unsigned char* bytes, unsigned sections, Whole& whole) {
  Reader file = {bytes, 0, 0, MOCAPELLA_OK};
  int ways = 0, lists = 0;
  for (unsigned k = 0; k < sections; ++k) {
    const bool block = file.begins(k, "block"), way = file.begins(k, "way"), list = file.begins(k, "changes");
    if ((k == 0 && !block) || (block && ways + lists) || (way && lists) || (list && lists)) return fail_at(MOCAPELLA_BAD_FILE, "blocks, ways and changes are not in order: section number ", k);
    whole.blocks += block;
    ways += way;
    lists += list;
  }
  if (!whole.blocks) return fail(MOCAPELLA_BAD_FILE, "the file has no block");
  const size_t room = sizeof(mocapella_network) * (size_t)(whole.blocks + ways);
  whole.part = (mocapella_network*)malloc(room);
  if (!whole.part) return fail(MOCAPELLA_NO_MEMORY, "there is no memory for a network");
  __builtin_memset(whole.part, 0, room);
  whole.parts = whole.blocks + ways;
  for (int number = 0; !file.status && file.to < sections; ++number) {
    file.from = file.to++;
    while (file.to < sections && !file.begins(file.to, "block") && !file.begins(file.to, "way") && !file.begins(file.to, "changes")) ++file.to;
    if (number < whole.parts) read_part(file, whole, number);
    else read_changes(file, whole);
  }
  return file.status;
}
}  // namespace

void drop(Whole* whole) {
  if (__atomic_sub_fetch(&whole->users, 1, __ATOMIC_ACQ_REL)) return;
  for (int k = 0; k < whole->blocks && whole->part; ++k) {
    free(whole->part[k].joint_name);
    free(whole->part[k].node_name);
  }
  free(whole->part);
  free(whole->change);
  free(whole->recording);
  free(whole->bytes);
  free(whole);
}
}  // namespace mocapella

using namespace mocapella;

extern "C" mocapella_status mocapella_parse(const void* bytes, size_t size, mocapella_network** network) {
  if (!bytes || !network) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_parse got a null pointer");
  if (size > MOCAPELLA_LARGEST_FILE) return fail(MOCAPELLA_BAD_FILE, "the file is larger than MOCAPELLA_LARGEST_FILE");
  Whole* whole = (Whole*)malloc(sizeof *whole);
  unsigned char* own = (unsigned char*)malloc(size + 16);
  if (!whole || !own) {
    free(whole);
    free(own);
    return fail(MOCAPELLA_NO_MEMORY, "there is no memory for a network");
  }
  __builtin_memset(whole, 0, sizeof *whole);
  whole->users = 1;
  whole->bytes = own;
  copy(own, bytes, size);
  unsigned sections = 0;
  mocapella_status status = check_frame(own, size, sections);
  if (!status) status = read_groups(own, sections, *whole);
  if (status) {
    drop(whole);
    return status;
  }
  *network = whole->part;
  return MOCAPELLA_OK;
}

#if !defined(__wasm__)
extern "C" mocapella_status mocapella_load(const char* path, mocapella_network** network) {
  if (!path || !network) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_load got a null pointer");
  FILE* file = fopen(path, "rb");
  if (!file) return fail(MOCAPELLA_CANNOT_READ, "cannot open ", path);
  long size = -1;
  if (!fseek(file, 0, SEEK_END)) size = ftell(file);
  mocapella_status status = MOCAPELLA_OK;
  unsigned char* bytes = nullptr;
  if (size < 0 || fseek(file, 0, SEEK_SET)) status = fail(MOCAPELLA_CANNOT_READ, "cannot read ", path);
  else if (size > MOCAPELLA_LARGEST_FILE) status = fail(MOCAPELLA_BAD_FILE, "the file is larger than MOCAPELLA_LARGEST_FILE: ", path);
  else if (!(bytes = (unsigned char*)malloc((size_t)size + 1))) status = fail(MOCAPELLA_NO_MEMORY, "there is no memory for ", path);
  else if (fread(bytes, 1, (size_t)size, file) != (size_t)size) status = fail(MOCAPELLA_CANNOT_READ, "cannot read ", path);
  fclose(file);
  if (!status) status = mocapella_parse(bytes, (size_t)size, network);
  free(bytes);
  return status;
}
#endif
