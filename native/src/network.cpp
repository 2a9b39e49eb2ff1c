// Networks of other programs: reading .mocar files (docs/embedding.md has the format), and what a network is asked.
//
// A file is untrusted: sizes are checked before anything is read, every number is finite and in range, and
// indices are checked by the core itself before the first step.
#include "network.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "mocapella's files are little-endian, and so has the machine to be"
#endif
#if !defined(__wasm__)
#include <stdio.h>
#endif

namespace mocapella {
namespace {
#if defined(__wasm__)
char message[256];
#else
__thread char message[256];
#endif

size_t put(size_t at, const char* text) {
  while (*text && at < sizeof message - 1) message[at++] = *text++;
  message[at] = 0;
  return at;
}

enum Kind { TEXT, WHOLE, SINGLE, DOUBLE };
constexpr unsigned SIZES[] = {1, 4, 4, 8};
constexpr unsigned HEAD = 32, ENTRY = 32, MOST_SECTIONS = 64, VERSION = 1;
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
  unsigned sections;
  mocapella_status status;

  // A section by its name; where it is missing, of another kind or of another length, that is the status.
  Section take(const char* name, Kind kind, long long count) {
    if (status) return {nullptr, 0};
    for (unsigned k = 0; k < sections; ++k) {
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
  if (word(bytes + 8) != VERSION) return fail_at(MOCAPELLA_BAD_FILE, "the file is of a version that this library does not read: ", word(bytes + 8));
  if (word(bytes + 16) != size || word(bytes + 20)) return fail(MOCAPELLA_BAD_FILE, "the file is not as long as it says: it was cut off");
  sections = word(bytes + 12);
  if (sections > MOST_SECTIONS || HEAD + ENTRY * sections > size) return fail(MOCAPELLA_BAD_FILE, "the file says that it has more sections than it can have");
  if (word(bytes + 24) != checksum(bytes + HEAD, size - HEAD)) return fail(MOCAPELLA_BAD_FILE, "the file is damaged: its checksum is another one");
  for (unsigned k = 0; k < sections; ++k) {
    const unsigned char* entry = bytes + HEAD + ENTRY * k;
    const unsigned kind = word(entry + 16), count = word(entry + 20), offset = word(entry + 24);
    if (kind > DOUBLE) return fail_at(MOCAPELLA_BAD_FILE, "a section is of an unknown kind: number ", k);
    if (offset % 16 || offset > size || (unsigned long long)count * SIZES[kind] > size - offset)
      return fail_at(MOCAPELLA_BAD_FILE, "a section lies outside of the file: number ", k);
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

void read_rest(Reader& file, mocapella_network& n) {
  const Tables& t = n.tables;
  if (const double* plane = file.twice("plane", 7)) {
    copy(n.centre, plane, 16);
    n.size = plane[2];
    copy(n.low, plane + 3, 16);
    copy(n.high, plane + 5, 16);
    if (!(n.size > 1e-12) || !(n.low[0] < n.high[0]) || !(n.low[1] < n.high[1])) file.status = fail(MOCAPELLA_BAD_FILE, "the plane of the network has no size");
  }
  if (!file.status && (n.cells < 2 || n.cells > 1024 || n.nodes < 1)) file.status = fail(MOCAPELLA_BAD_FILE, "there are no nodes, or no table of rates");
  n.rates = file.single("rates", 2ll * t.triangles * ((t.parts + 1) * (t.parts + 2) / 2));
  n.rate_points = file.single("rate_points", 2ll * n.cells * n.cells);
  n.node_point = file.twice("node_points", 2ll * n.nodes);
  n.node_triangle = file.whole("node_triangles", 3ll * n.node_triangles);
  n.outline = file.twice("outline", 2ll * n.corners);
  n.outline_loop = file.whole("outline_loops", n.corners);
  n.end_joint = file.whole("end_joints", n.ends);
  n.end_offset = file.single("end_offsets", 3ll * n.ends);
  n.joint_name = names_of(file, "joint_names", t.joints);
  n.node_name = names_of(file, "node_names", n.nodes);
  for (int k = 0; !file.status && k < 3 * n.node_triangles; ++k)
    if (n.node_triangle[k] < -1 || n.node_triangle[k] >= n.nodes) file.status = fail(MOCAPELLA_BAD_FILE, "a triangle names a node that there is not");
  for (int k = 0; !file.status && k < n.ends; ++k)
    if (n.end_joint[k] < 0 || n.end_joint[k] >= t.joints) file.status = fail(MOCAPELLA_BAD_FILE, "an end hangs on a joint that there is not");
}

void release(mocapella_network* n) {
  free(n->joint_name);
  free(n->node_name);
  free(n->bytes);
  free(n);
}
}  // namespace

mocapella_status fail(mocapella_status status, const char* text, const char* detail) {
  put(put(0, text), detail);
  return status;
}
mocapella_status fail_at(mocapella_status status, const char* text, long long number) {
  char digits[24];
  int at = sizeof digits - 1;
  digits[at] = 0;
  unsigned long long left = number < 0 ? 0ull - (unsigned long long)number : (unsigned long long)number;
  do { digits[--at] = (char)('0' + left % 10); left /= 10; } while (left);
  if (number < 0) digits[--at] = '-';
  return fail(status, text, digits + at);
}

double exponential(double x) {
  if (!(x > -700.0)) return 0.0;
  const int whole = (int)(x * 1.4426950408889634 - 0.5);
  const double rest = x - whole * 0.6931471805599453;
  double sum = 1.0, term = 1.0;
  for (int k = 1; k < 16; ++k) sum += term *= rest / k;
  for (int k = 0; k > whole; --k) sum *= 0.5;
  return sum;
}

int find_triangle(const Tables& t, float x, float y, float weights[3]) {
  int best = 0;
  float most = -1e30f;
  for (int k = 0; k < t.triangles; ++k) {
    const float* m = t.map + 9 * (long)k;
    float w[3], least = 1e30f;
    for (int i = 0; i < 3; ++i) {
      w[i] = m[3 * i] + m[3 * i + 1] * x + m[3 * i + 2] * y;
      least = w[i] < least ? w[i] : least;
    }
    if (least > most) {
      most = least;
      best = k;
      copy(weights, w, sizeof w);
    }
  }
  return best;
}

void keep(const mocapella_network* network) { __atomic_add_fetch(&const_cast<mocapella_network*>(network)->users, 1, __ATOMIC_RELAXED); }
}  // namespace mocapella

using namespace mocapella;

extern "C" int mocapella_api_version(void) { return MOCAPELLA_API_VERSION; }
extern "C" const char* mocapella_error(void) { return message; }

extern "C" mocapella_status mocapella_parse(const void* bytes, size_t size, mocapella_network** network) {
  if (!bytes || !network) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_parse got a null pointer");
  if (size > MOCAPELLA_LARGEST_FILE) return fail(MOCAPELLA_BAD_FILE, "the file is larger than MOCAPELLA_LARGEST_FILE");
  mocapella_network* n = (mocapella_network*)malloc(sizeof *n);
  unsigned char* own = (unsigned char*)malloc(size + 16);
  if (!n || !own) {
    free(n);
    free(own);
    return fail(MOCAPELLA_NO_MEMORY, "there is no memory for a network");
  }
  __builtin_memset(n, 0, sizeof *n);
  n->users = 1;
  n->bytes = own;
  copy(own, bytes, size);
  Reader file = {own, 0, MOCAPELLA_OK};
  file.status = check_frame(own, size, file.sections);
  if (!file.status) read_core(file, *n);
  if (!file.status) file.status = check_core(*n);
  if (!file.status) read_rest(file, *n);
  if (file.status) {
    release(n);
    return file.status;
  }
  for (int k = 0; k < n->tables.corners; ++k)
    for (int i = 0; i < 2; ++i) {
      const float x = n->tables.point[2 * k + i];
      if (k == 0 || x < n->box[i]) n->box[i] = x;
      if (k == 0 || x > n->box[2 + i]) n->box[2 + i] = x;
    }
  *network = n;
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

extern "C" void mocapella_network_free(mocapella_network* network) {
  if (network && __atomic_sub_fetch(&network->users, 1, __ATOMIC_ACQ_REL) == 0) release(network);
}

extern "C" mocapella_status mocapella_count(const mocapella_network* n, mocapella_thing what, int* count) {
  if (!n || !count) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_count got a null pointer");
  const int counts[] = {n->tables.joints, n->ends, n->nodes, n->node_triangles, n->corners, n->tables.harmonics};
  if ((int)what < 0 || (int)what > MOCAPELLA_HARMONICS) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is nothing to count by the number ", (int)what);
  *count = counts[(int)what];
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_joint(const mocapella_network* n, int joint, const char** name, int* parent, float offset[3]) {
  if (!n) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_joint got no network");
  if (joint < 0 || joint >= n->tables.joints) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is no joint ", joint);
  if (name) *name = n->joint_name[joint];
  if (parent) *parent = n->tables.parent[joint];
  if (offset) copy(offset, n->tables.offset + 3 * joint, 12);
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_end(const mocapella_network* n, int end, int* joint, float offset[3]) {
  if (!n) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_end got no network");
  if (end < 0 || end >= n->ends) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is no end ", end);
  if (joint) *joint = n->end_joint[end];
  if (offset) copy(offset, n->end_offset + 3 * end, 12);
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_node(const mocapella_network* n, int node, const char** name, double point[2]) {
  if (!n) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_node got no network");
  if (node < 0 || node >= n->nodes) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is no node ", node);
  if (name) *name = n->node_name[node];
  if (point) copy(point, n->node_point + 2 * node, 16);
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_triangle(const mocapella_network* n, int triangle, int nodes[3]) {
  if (!n || !nodes) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_triangle got a null pointer");
  if (triangle < 0 || triangle >= n->node_triangles) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is no triangle ", triangle);
  copy(nodes, n->node_triangle + 3 * triangle, 12);
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_outline(const mocapella_network* n, int corner, double point[2], int* loop) {
  if (!n || !point) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_outline got a null pointer");
  if (corner < 0 || corner >= n->corners) return fail_at(MOCAPELLA_BAD_ARGUMENT, "the outline has no corner ", corner);
  copy(point, n->outline + 2 * corner, 16);
  if (loop) *loop = n->outline_loop[corner];
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_nearest(const mocapella_network* n, double x, double y, double point[2]) {
  if (!n || !point) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_nearest got a null pointer");
  if (!finite(x) || !finite(y)) return fail(MOCAPELLA_BAD_ARGUMENT, "a point is NaN or infinite");
  const Tables& t = n->tables;
  const double gx = (x - n->centre[0]) / n->size, gy = (y - n->centre[1]) / n->size;
  float w[3];
  find_triangle(t, (float)clamp(gx, -1e9, 1e9), (float)clamp(gy, -1e9, 1e9), w);
  if (w[0] >= -1e-6f && w[1] >= -1e-6f && w[2] >= -1e-6f && t.corners > 2) {
    point[0] = x;
    point[1] = y;
    return MOCAPELLA_OK;
  }
  double best = 0.0, bx = 0.0, by = 0.0;
  for (int k = 0; k < 3 * t.triangles; ++k) {  // every side of every triangle; those without length are points
    const float *a = t.point + 2 * t.triangle[k], *b = t.point + 2 * t.triangle[k - k % 3 + (k + 1) % 3];
    const double ux = b[0] - a[0], uy = b[1] - a[1], length = ux * ux + uy * uy;
    const double share = length > 0.0 ? clamp(((gx - a[0]) * ux + (gy - a[1]) * uy) / length, 0.0, 1.0) : 0.0;
    const double px = a[0] + share * ux, py = a[1] + share * uy, far = (px - gx) * (px - gx) + (py - gy) * (py - gy);
    if (k == 0 || far < best) { best = far; bx = px; by = py; }
  }
  point[0] = bx * n->size + n->centre[0];
  point[1] = by * n->size + n->centre[1];
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_rates(const mocapella_network* n, double x, double y, float* turn, float* speed, float* seconds) {
  double at[2];
  if (const mocapella_status wrong = mocapella_nearest(n, x, y, at)) return wrong;
  const Tables& t = n->tables;
  float w[3];
  const int k = find_triangle(t, (float)((at[0] - n->centre[0]) / n->size), (float)((at[1] - n->centre[1]) / n->size), w);
  const int vertices = (t.parts + 1) * (t.parts + 2) / 2;
  const double parts = t.parts, c = clamp(w[2], 0.0, 1.0) * parts, b = clamp(w[1] + w[2], 0.0, 1.0) * parts;
  const double large = b > c ? b : c;
  const int i = (int)clamp(large, 0.0, parts - 1.0), j = (int)clamp(c, 0.0, i);
  const double p = clamp(large - i, 0.0, 1.0), q = clamp(c - j, 0.0, 1.0);
  const bool upper = p >= q || i == j;
  const int base = i * (i + 1) / 2 + j, last = (i + 1) * (i + 2) / 2 + j + 1, middle = upper ? last - 1 : base + 1;
  const double near = upper ? (p < q ? p : q) : p, far = upper ? p : q;
  const int vertex[] = {base, middle, last};
  const double share[] = {1.0 - far, far - near, near};
  double found[3] = {0.0, 0.0, 0.0};
  for (int v = 0; v < 3; ++v) {
    const long row = (long)k * vertices + vertex[v];
    found[0] += share[v] * n->rates[2 * row];
    found[1] += share[v] * n->rates[2 * row + 1];
    found[2] += share[v] * t.gait[row * t.row];
  }
  if (turn) *turn = (float)found[0];
  if (speed) *speed = (float)found[1];
  if (seconds) *seconds = (float)found[2];
  return MOCAPELLA_OK;
}
