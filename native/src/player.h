// The C interface of one character's step: float64, as mocapella.playback does it. All memory belongs to the caller.
//
// A character is one record: its state as plain numbers (whole numbers and yes or no as doubles too, so that one array
// holds it all), then the pose, then what follows from the state and is kept, the way of its blend over the ground.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
#define PLAYER_ABI 2
enum {
  SAMPLES = 32,       // phases of a cycle at which the legs are looked at
  PLAYER_JOINTS = 256, PLAYER_ROWS = 128, PLAYER_ARCS = 8, PLAYER_CHAIN = 12, PLAYER_FADING = 24, PLAYER_OWN = 8,
  PLAYER_AXES = 3, PLAYER_TRIGGERS = 32, PLAYER_NODES = 32  // nodes that count at once
};

typedef struct {  // as mocapella.playback.settings has them
  double ease, pace, fade, harmonic_rate, agility, rise, strain_from, strain_to, root_shift_speed, root_shift_time;
  double approach, release, swing_share, shortest_plant, hand_over, nearest_plants;
  double hold_rate, steepest_hold_rate, release_from, release_at, release_speed, long_step, touchdown, touchdown_share;
  double hover, down, lifted, rocking, sole_tilt;
  double harmonics;  // how many are played; below 0 all
  double feet;       // 0 held, 1 anchored, 2 velocity
} PlayerSettings;

typedef struct {
  int n, hip, knee, toe;             // joints from below the root to the ankle; places among them; toe -1: none bends
  int joint[PLAYER_CHAIN];
  double offset[PLAYER_CHAIN][3];
  double heel[3], ball[3], tip[3], hinge[3], across[3];
  double heel_height, toe_height, tip_height, tip_length, flat_length, ankle_share, length;
} PlayerLeg;

typedef struct {
  int abi, joints, rows, stride, nodes, needed, first, turned;  // turned: motions are moved until their feet fall together
  int axes, corners, mesh_axes, simplices, border, clamp, convex, line, single;
  int plants, scheduled, legs, own;
  const double* coefficients;  // [nodes][rows][2][stride], real row, imaginary row
  const double* late;          // [nodes][1 + needed]: lateness, energies of the upper rows
  const double* timing;        // [nodes][1 + 2 plants]: duration, starts, lengths
  const double* free;          // [stride]: 1 for dofs that move no ankle
  const double* gap;           // [4]: the shortest gap between two plants of a point; -1 where none has two
  const double* map;           // [simplices][corners][1 + mesh_axes]
  const double* point;         // [nodes][axes]
  const double* edge;          // [border][2][axes], in units of the spread
  const double* scale;         // [mesh_axes]
  const double* along;         // [2 axes + 1]: a point of the line, its direction, its length
  const double* swing;         // [own][rows - 1][2][stride + 8]: of nodes with their own time, with path and heading
  const double* own_rate;      // [own]
  const int* corner;           // [simplices][corners]
  const int* neighbour;        // [simplices][corners]
  const int* border_simplex;   // [border]
  const int* plant_point;      // [plants]
  const int* own_node;         // [own]
  long long size[17];          // how many numbers each of these holds
  PlayerLeg leg[2];
} PlayerTables;

typedef struct {
  double start, length, approach, release, firmness;
} PlayerPlant;

typedef struct {  // the way of one blend over the ground, and its feet
  double ready;   // whether it belongs to the state
  double rows, duration, rate, even, start, steady[2], origin[2], velocity[2], lift, swing[2];
  double n_arcs[4], arc[4][PLAYER_ARCS][2];
  double n_plants[4];
  PlayerPlant plant[4][PLAYER_ARCS];
  double bearing[SAMPLES][4];
  double table[SAMPLES][2][8];      // by order real and imaginary parts of: four feet, two heights, heading, path
  double beyond[PLAYER_ROWS][2];    // harmonics of the heading from 16 on
  double n_spot, spot[PLAYER_NODES], spot_weight[PLAYER_NODES];  // what is blended
} PlayerGait;

typedef struct {
  double point[PLAYER_AXES], goal[PLAYER_AXES], velocity[PLAYER_AXES];
  double pace, harmonics;  // below 0: those of the settings
  double simplex, inside, n_aim, aim[4], aim_weight[4], aim_point[PLAYER_AXES];
  double fade_age, n_fade, fade[PLAYER_FADING], fade_weight[PLAYER_FADING];
  double phase, position[2], yaw, owed[2];  // position x, z; owed along z, x
  double placed[4], place[4][2], hold[4], shift[4][2], leaving[4];
  double begun, strain, standing[2], anchor, anchor_place[2];  // standing: 0 coming, 1 down, 2 leaving; anchor -1: none
  double clock[PLAYER_OWN];
  double time;
} PlayerState;

typedef struct {
  long long bytes;       // of the whole record, behind this header the arrays below
  const void* opened;    // the tables it belongs to
  double n_triggers, trigger[PLAYER_TRIGGERS], zone[PLAYER_TRIGGERS];  // nodes whose weight is not to reach a zone
  PlayerState state;
  double root[3];        // of the pose, metres
  double planted[4];
  double over[3];        // what nodes with their own time add: path ahead and left, yaw
  double serial;         // how many gaits were made: another one with every change of it
  PlayerGait gait;
} PlayerRecord;          // then: rotations [4 joints], mixed coefficients [rows][2][stride], the same again for scratch

// 0: done. 1: nothing was changed, this step is one that the core does not know. Below 0: the arguments are at fault.
int player_check(const PlayerTables* tables);
long long player_room(const PlayerTables* tables);  // bytes of a record
int player_open(const PlayerTables* tables, PlayerRecord* record, long long bytes);
int player_step(const PlayerTables* tables, const PlayerSettings* settings, PlayerRecord* record, double dt);
int player_ready(const PlayerTables* tables, const PlayerSettings* settings, PlayerRecord* record);  // the gait alone
int player_send(const PlayerTables* tables, PlayerRecord* record, double x, double y);  // a goal inside the network
// Where a character whose gait is known is without the sway of its steps (x, z), which way it goes, and how fast.
int player_course(const PlayerTables* tables, PlayerRecord* record, double course[4]);
long long player_sizes(int which);  // of PlayerSettings, PlayerLeg, PlayerTables, PlayerGait, PlayerState, PlayerRecord; ABI
#ifdef __cplusplus
}
#endif
