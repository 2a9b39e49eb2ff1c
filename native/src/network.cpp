// Networks of other programs: what a network is asked, and how failures are told.
#include "network.h"

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

namespace {
// Where a point lies between the blends whose gaits are in the tables: rows of these, and their shares.
struct Mix { long row[3]; double share[3]; };
Mix mix_at(const Tables& t, double x, double y) {
  float w[3];
  const int k = find_triangle(t, (float)x, (float)y, w);
  const int vertices = (t.parts + 1) * (t.parts + 2) / 2;
  const double parts = t.parts, c = clamp(w[2], 0.0, 1.0) * parts, b = clamp(w[1] + w[2], 0.0, 1.0) * parts;
  const double large = b > c ? b : c;
  const int i = (int)clamp(large, 0.0, parts - 1.0), j = (int)clamp(c, 0.0, i);
  const double p = clamp(large - i, 0.0, 1.0), q = clamp(c - j, 0.0, 1.0);
  const bool upper = p >= q || i == j;
  const int base = i * (i + 1) / 2 + j, last = (i + 1) * (i + 2) / 2 + j + 1, middle = upper ? last - 1 : base + 1;
  const double near = upper ? (p < q ? p : q) : p, far = upper ? p : q;
  const long first = (long)k * vertices;
  return {{first + base, first + middle, first + last}, {1.0 - far, far - near, near}};
}
}  // namespace

double cycle_seconds(const mocapella_network& part, double x, double y) {
  const Mix mix = mix_at(part.tables, x, y);
  double found = 0.0;
  for (int v = 0; v < 3; ++v) found += mix.share[v] * part.tables.gait[mix.row[v] * part.tables.row];
  return found;
}

void keep(Whole* whole) { __atomic_add_fetch(&whole->users, 1, __ATOMIC_RELAXED); }
}  // namespace mocapella

using namespace mocapella;

extern "C" int mocapella_api_version(void) { return MOCAPELLA_API_VERSION; }
extern "C" const char* mocapella_error(void) { return message; }

extern "C" void mocapella_network_free(mocapella_network* network) {
  if (network && network == network->whole->part) drop(network->whole);
}

extern "C" mocapella_status mocapella_count(const mocapella_network* n, mocapella_thing what, int* count) {
  if (!n || !count) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_count got a null pointer");
  const int counts[] = {n->tables.joints, n->ends, n->nodes, n->node_triangles, n->corners, n->tables.harmonics, n->whole->blocks, n->whole->changes};
  if ((int)what < 0 || (int)what > MOCAPELLA_CHANGES) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is nothing to count by the number ", (int)what);
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
  const Mix mix = mix_at(n->tables, (at[0] - n->centre[0]) / n->size, (at[1] - n->centre[1]) / n->size);
  double found[3] = {0.0, 0.0, 0.0};
  for (int v = 0; v < 3; ++v) {
    found[0] += mix.share[v] * n->rates[2 * mix.row[v]];
    found[1] += mix.share[v] * n->rates[2 * mix.row[v] + 1];
    found[2] += mix.share[v] * n->tables.gait[mix.row[v] * n->tables.row];
  }
  if (turn) *turn = (float)found[0];
  if (speed) *speed = (float)found[1];
  if (seconds) *seconds = (float)found[2];
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_block(const mocapella_network* n, int block, const char** name, const mocapella_network** network) {
  if (!n) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_block got no network");
  if (block < 0 || block >= n->whole->blocks) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is no block ", block);
  if (name) *name = n->whole->part[block].name;
  if (network) *network = n->whole->part + block;
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_change(const mocapella_network* n, int change, mocapella_change_info* info) {
  if (!n || !info) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_change got a null pointer");
  if (change < 0 || change >= n->whole->changes) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is no captured change ", change);
  const Change& c = n->whole->change[change];
  const Recording* r = n->whole->recording + c.first;
  const double* at = n->whole->part[c.source].node_point + 2 * c.source_node;
  *info = {c.name, c.source, c.source_node, c.target, c.target_node, {at[0], at[1]}, {r->to[0], r->to[1]},
           c.at_once ? -1.0 : r->phase, c.at_once || c.versions < 2 ? -1.0 : r[1].phase, (r->frames - 1) / r->rate};
  return MOCAPELLA_OK;
}
