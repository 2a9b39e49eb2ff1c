/* Loads a network, steers a character, and prints its poses as CSV: frame, joint, x, y, z (metres).
 *
 *     mocapella export walk.moca --for c -o embedded             the network, the library and this file
 *     cd embedded && c++ -std=c++17 -O2 -c src/[a-z]*.cpp                                      # the library
 *     cc -O2 -Iinclude poses.c *.o -lm -o poses
 *     ./poses network.mocar 120
 */
#include <stdio.h>
#include <stdlib.h>

#include "mocapella.h"

static int failed(const char* what) {
  fprintf(stderr, "error: %s: %s\n", what, mocapella_error());
  return 1;
}

int main(int argc, char** argv) {
  mocapella_network* network = NULL;
  mocapella_characters* walker = NULL;
  mocapella_beginning start = {0};
  double last[2];
  float turn, speed, seconds;
  int joints, nodes;
  if (argc != 3) {
    fprintf(stderr, "usage: poses NETWORK.mocar FRAMES\n");
    return 2;
  }
  if (mocapella_load(argv[1], &network)) return failed(argv[1]);
  mocapella_count(network, MOCAPELLA_JOINTS, &joints);
  mocapella_count(network, MOCAPELLA_NODES, &nodes);
  mocapella_node(network, 0, NULL, start.point);
  mocapella_node(network, nodes - 1, NULL, last);
  mocapella_rates(network, last[0], last[1], &turn, &speed, &seconds);
  fprintf(stderr, "%d joints, %d motions; the last turns %.2f rad/s at %.2f m/s\n", joints, nodes, turn, speed);

  /* A character begins at the first motion, and is sent to the last one after half a second. */
  if (mocapella_create(network, 1, &walker)) return failed("mocapella_create");
  if (mocapella_begin(walker, 0, &start)) return failed("mocapella_begin");
  float* places = malloc(sizeof(float) * 3 * (size_t)joints);
  if (!places) return 1;
  printf("frame,joint,x,y,z\n");
  for (int frame = 0; frame < atoi(argv[2]); ++frame) {
    if (frame == 30) mocapella_aim(walker, 0, last[0], last[1]);
    if (mocapella_step(walker, 1.0 / 60.0)) return failed("mocapella_step");
    if (mocapella_positions(walker, 0, places, 3 * (size_t)joints)) return failed("mocapella_positions");
    for (int joint = 0; joint < joints; ++joint) {
      const char* name;
      mocapella_joint(network, joint, &name, NULL, NULL);
      printf("%d,%s,%.6f,%.6f,%.6f\n", frame, name, places[3 * joint], places[3 * joint + 1], places[3 * joint + 2]);
    }
  }
  free(places);
  mocapella_free(walker);
  mocapella_network_free(network);
  return 0;
}
