// What the parts of the library share: a loaded file with its blocks and captured changes, and how failures are told.
// No C++ library is used.
#pragma once
#include "../include/mocapella.h"
#include "crowd.h"

extern "C" void* malloc(size_t);
extern "C" void free(void*);

namespace mocapella {
struct Whole;
}

// A part of a file: a block, or a way, which is the triangles round the node at which a captured change begins or ends.
struct mocapella_network {
  mocapella::Whole* whole;
  int block, node;  // its own number and -1, or the block and the node of a way
  Tables tables;
  int ends, nodes, node_triangles, corners, cells;
  double centre[2], size, low[2], high[2];
  float box[4];  // of all points, about the centre, in sizes: low x, low y, high x, high y
  const double *node_point, *outline;
  const float *end_offset, *rates, *rate_points;
  const int *node_triangle, *outline_loop, *end_joint;
  const char *name, **joint_name, **node_name;
};

namespace mocapella {
struct Change {
  const char* name;
  int source, source_node, target, target_node;
  int way, first, versions;  // the part in which its node is reached; its recordings: as captured, mirrored
  bool at_once;
  double zone;  // weight of its node from which on its moment is waited for
};
struct Recording {
  int way, frames;  // the part in which the character goes on, at the last frame
  double phase, arrive, to[2], rate;
  const float* rows;  // [frames][4 + 4 joints]: left, ahead, height, heading, then local rotations w x y z
  const unsigned char* planted;
};
struct Whole {
  int users;  // the handle, and every set of characters
  int blocks, parts, changes, triangles;  // triangles: the most that a part has
  unsigned char* bytes;
  mocapella_network* part;  // blocks, then ways
  Change* change;
  Recording* recording;
};

mocapella_status fail(mocapella_status status, const char* text, const char* detail = "");
mocapella_status fail_at(mocapella_status status, const char* text, long long number);
inline bool finite(double x) { return x - x == 0.0; }
inline void copy(void* to, const void* from, size_t n) { __builtin_memcpy(to, from, n); }
inline double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
// The triangle that holds a point (about the centre, in sizes) or comes nearest, and the weights of its corners.
int find_triangle(const Tables& tables, float x, float y, float weights[3]);
// Seconds of a cycle at a point (about the centre, in sizes).
double cycle_seconds(const mocapella_network& part, double x, double y);
void keep(Whole* whole);
void drop(Whole* whole);
}  // namespace mocapella
