// What runtime.cpp and characters.cpp share: a loaded network, and how failures are told. No C++ library is used.
#pragma once
#include "../include/mocapella.h"
#include "crowd.h"

extern "C" void* malloc(size_t);
extern "C" void free(void*);

struct mocapella_network {
  int users;  // the handle, and every set of characters
  unsigned char* bytes;
  Tables tables;
  int ends, nodes, node_triangles, corners, cells;
  double centre[2], size, low[2], high[2];
  float box[4];  // of all points, about the centre, in sizes: low x, low y, high x, high y
  const double *node_point, *outline;
  const float *end_offset, *rates, *rate_points;
  const int *node_triangle, *outline_loop, *end_joint;
  const char **joint_name, **node_name;
};

namespace mocapella {
mocapella_status fail(mocapella_status status, const char* text, const char* detail = "");
mocapella_status fail_at(mocapella_status status, const char* text, long long number);
inline bool finite(double x) { return x - x == 0.0; }
inline void copy(void* to, const void* from, size_t n) { __builtin_memcpy(to, from, n); }
inline double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
double exponential(double x);  // of numbers up to 0
// The triangle that holds a point (about the centre, in sizes) or comes nearest, and the weights of its corners.
int find_triangle(const Tables& tables, float x, float y, float weights[3]);
void keep(const mocapella_network* network);
}  // namespace mocapella
