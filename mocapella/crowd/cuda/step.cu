// ---------------------------------------------------------------- variety
D unsigned hashed(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352du;
  x ^= x >> 15; x *= 0x846ca68bu;
  return x ^ (x >> 16);
}
__device__ __noinline__ Q noisy(Q q, unsigned id, int channel, float noise, int beat, float beat_part) {
  float r[3];
#pragma unroll
  for (int a = 0; a < 3; ++a) {
    const unsigned h = hashed(id * 0x9E3779B1u + (unsigned)(3 * channel + a) * 0x85EBCA77u);
    float time = beat_part + (float)(h >> 8) * 5.9604644775390625e-8f;
    const unsigned carry = time >= 1.f ? 1u : 0u;
    time -= (float)carry;
    const unsigned at = ((unsigned)beat + carry) * 0xC2B2AE3Du + h;
    const float g0 = (float)(int)hashed(at) * 4.656612873077393e-10f, g1 = (float)(int)hashed(at + 0xC2B2AE3Du) * 4.656612873077393e-10f;
    const float fade = time * time * time * (time * (time * 6.f - 15.f) + 10.f), low = g0 * time, high = g1 * (time - 1.f);
    r[a] = .5f * noise * ((low + fade * (high - low)) * 1.14f);
  }
  return {q.w - (q.x * r[0] + q.y * r[1] + q.z * r[2]), q.x + q.w * r[0] + q.y * r[2] - q.z * r[1], q.y + q.w * r[1] + q.z * r[0] - q.x * r[2], q.z + q.w * r[2] + q.x * r[1] - q.y * r[0]};
}

// ---------------------------------------------------------------- a team: four warps and 32 characters
#define TEAM 4
D void together(int team) { asm volatile("bar.sync %0, 128;" ::"r"(1 + team) : "memory"); }
D void announce(int team) { asm volatile("bar.arrive %0, 64;" ::"r"(1 + TEAMS + team) : "memory"); }
D void await(int team) { asm volatile("bar.sync %0, 64;" ::"r"(1 + TEAMS + team) : "memory"); }
D void together_above(int team) { asm volatile("bar.sync %0, 64;" ::"r"(1 + 2 * TEAMS + team) : "memory"); }  // warps 2 and 3

#if HALF
typedef uint2 Out;
D Out row_of(float a, float b, float c, float d) { return make_uint2(halves(a, b), halves(c, d)); }
#else
typedef float4 Out;
D Out row_of(float a, float b, float c, float d) { return make_float4(a, b, c, d); }
#endif
// What warps of a team tell each other about its characters.
struct Notes {  // _NOTES_BYTES in source.py
  float4 state[4][32];  // of records: phase and place, speeds, marks; and weights of corners 1 and 2, phase now, radians a second
  float4 root[32];      // x, z and height before it makes way, turn rate
  float2 facing[32];    // sine and cosine of half of the heading
  float way[2][3][32];  // of each leg: by how much the root shall make way ahead and left, and how firmly
  float feet[8][32];    // how foot points move because the blend changes; later marks, holds, strain and ball of each leg
  int whose[32];        // the character, or -1
};
#define ROOM ((int)(ROWS_ROOM + 256 * STAGED + sizeof(Notes) / 16 + 64 * KEPT + (OVERLAY ? 0 : BASES * BASIS)))  // float4s
#define FOOT_TABLE (2 * FOOT_TILES * 64)
#define CONSTANTS (2 * EIGHTS * TILE + FOOT_TABLE)  // uint4s of a triangle
#define FULL_ROWS (GAIT_SHARED ? VERTICES * ROW : 0)
#define PLAIN_EIGHTS ((PLAIN / 4 + 7) / 8)
#define UNITS (PLAIN_EIGHTS + FIRST_EIGHTS - PLAIN / 32)  // eights of the first window; one that is plain in part counts twice

// Rows of characters go out, from one group of four words to another. In memory they begin at multiples of 64 bytes, as
// it is written by such pieces: a piece that two characters share would be written twice, long after one another. Eight
// threads write 128 bytes at a time; a number of warps share the team's characters.
#define PIECES (STRIDE * (HALF ? 8 : 16) / 16)  // groups of four words of a character's row
#define WINDOW_PIECES (3 * WINDOW * (HALF ? 8 : 16) / 16)
template <int FROM, int TO, int WARPS>
D void send(const float4* rows, float4* __restrict__ poses, const Notes& notes, int window, int warp, int lane) {
  const int count = WINDOWS == 1 ? PIECES : PIECES - WINDOW_PIECES * window;
#pragma unroll 1
  for (int round = 0; round < 8 / WARPS; ++round) {
    const int character = 4 * (8 / WARPS * warp + round) + (lane >> 3), whose = notes.whose[character];
    const float4* from = rows + PITCH * character + (lane & 7);
    float4* to = poses + (size_t)whose * PIECES + WINDOW_PIECES * window + (lane & 7);
    if (whose >= 0)
#pragma unroll
      for (int k = FROM; k < TO; k += 8)
        if ((k + 8 <= TO || k + (lane & 7) < TO) && ((WINDOWS == 1 && k + 8 <= PIECES) || k + (lane & 7) < count)) __stcs(to + k, from[k]);
  }
}

struct Root { V at; Q facing; float turning, s, c, owed_x, owed_z; };
// the root, which makes way for feet that stand while the blend changes
D Root root_of(const Notes& notes, float dt, float made, int lane) {
  const float4 r = notes.root[lane];
  const float2 h = notes.facing[lane];
  Root out;
  out.s = 2.f * h.x * h.y;
  out.c = h.y * h.y - h.x * h.x;
  const float per = 1.f / fmaxf(notes.way[0][2][lane] + notes.way[1][2][lane], 1.f);
  const float wa = per * (notes.way[0][0][lane] + notes.way[1][0][lane]), wl = per * (notes.way[0][1][lane] + notes.way[1][1][lane]);
  const float most = fmaxf(ROOT_SHIFT_SPEED * dt, 1e-9f), limit = rsqrtf(1.f + (wa * wa + wl * wl) / (most * most));
  const int word = __float_as_int(notes.state[1][lane].w);
  out.owed_x = (float)((word << 16) >> 16) * (1.f / 32768.f) + limit * (out.s * wa + out.c * wl);
  out.owed_z = (float)(word >> 16) * (1.f / 32768.f) + limit * (out.c * wa - out.s * wl);
  out.at = {r.x + made * out.owed_x, r.z, r.y + made * out.owed_z};
  out.facing = {h.y, 0.f, h.x, 0.f};
  out.turning = r.w;
  return out;
}
// the root goes on by the mean of its speeds before and now; speeds: height, and metres and radians a second
D void travel(Notes& notes, const float4* gait, Q speeds, float dt, int lane, float& ahead, float& aside) {
  const float4 r1 = notes.state[0][lane], r2 = notes.state[1][lane], now = notes.state[3][lane];
  const Cell cell = cell_of(gait, now.x, now.y);
  float rowed[24];
#pragma unroll
  for (int k = 0; k < 6; ++k) {
    const float4 a = numbers(cell, k);
    rowed[4 * k] = a.x; rowed[4 * k + 1] = a.y; rowed[4 * k + 2] = a.z; rowed[4 * k + 3] = a.w;
  }
  float s, c;
  sincos_(now.z, s, c);
  float ck = c, sk = s, fore = rowed[5], side = rowed[14];
  const float height = speeds.w + rowed[2] + rowed[3] * c - rowed[4] * s;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    fore += rowed[6 + 2 * k] * ck + rowed[7 + 2 * k] * sk;
    side += rowed[15 + 2 * k] * ck + rowed[16 + 2 * k] * sk;
    const float next = ck * c - sk * s;
    sk = ck * s + sk * c;
    ck = next;
  }
  ahead = speeds.x + now.w * fore;
  aside = speeds.y + now.w * side;
  const float half = .5f * dt, yaw = r1.w + half * (r2.z + speeds.z), fo = half * (r2.x + ahead), si = half * (r2.y + aside);
  sincos_(.5f * (r1.w + yaw), s, c);
  notes.root[lane] = make_float4(r1.y + (s * fo + c * si), r1.z + (c * fo - s * si), height, speeds.z);
  sincos_(.5f * yaw, s, c);
  notes.facing[lane] = make_float2(s, c);
}

// ---------------------------------------------------------------- walks along the skeleton
struct Place { float4 *stage, *rows, *keep; const float4* means; int columns; };
struct Noise { float size; int id, beat; float beat_part; };
struct Walker { Q q; V at; M m; };
D Q own_of(const Place& p, const Notes& notes, Visit is, int lane) {
  if (is.column >= p.columns && !(is.bits & IS_GIVEN)) {
    const float4 now = notes.state[3][lane];
    return mean_of(p.means + 3 * is.joint, 1.f - now.x - now.y, now.x, now.y);
  }
  if (is.quad >= 0) return quad_of(p.stage, is.quad, lane);
  const float4 a = p.rows[PITCH * lane + ~is.quad];
  return {a.x, a.y, a.z, a.w};
}
D void go(V& at, const M& m, V offset) {
  if (offset.x != 0.f) at = {fmaf(m.m[0], offset.x, at.x), fmaf(m.m[3], offset.x, at.y), fmaf(m.m[6], offset.x, at.z)};
  if (offset.y != 0.f) at = {fmaf(m.m[1], offset.y, at.x), fmaf(m.m[4], offset.y, at.y), fmaf(m.m[7], offset.y, at.z)};
  if (offset.z != 0.f) at = {fmaf(m.m[2], offset.z, at.x), fmaf(m.m[5], offset.z, at.y), fmaf(m.m[8], offset.z, at.z)};
}
// A joint: it begins where the one before it ended, or where its parent was kept.
D void visit(Walker& w, const Visit is, const V offset, const Place& p, const Notes& notes, Noise noise, Out* out, float far_x, float far_z, int foot, int team, int lane) {
  if (is.bits & FROM_KEPT) {
    const float4 *kept = p.keep + 64 * ((is.bits >> 8) & 255) + lane, one = kept[0], two = kept[32];
    w.q = {one.x, one.y, one.z, one.w};
    w.at = {two.x, two.y, two.z};
    w.m = matrix(w.q);
  }
  if (is.joint) go(w.at, w.m, offset);
  Q own = own_of(p, notes, is, lane);
  if (NOISY && (is.bits & IS_NOISY) && noise.size > 0.f) own = noisy(own, noise.id, (is.bits >> 24) & 255, noise.size, noise.beat, noise.beat_part);
  w.q = is.bits & IS_GIVEN ? own : w.q * own;
  if (is.bits & IS_TOE) {
    w.q = toes_of(LEGS[foot], w.q, quad_of(p.stage, ANKLE_QUAD[foot], lane), notes.feet[4 * foot + 3][lane]);
  }
  w.m = matrix(w.q);
  if (is.bits & IS_KEPT) {
    float4* kept = p.keep + 64 * ((is.bits >> 16) & 255) + lane;
    kept[0] = make_float4(w.q.w, w.q.x, w.q.y, w.q.z);
    kept[32] = make_float4(w.at.x, w.at.y, w.at.z, 0.f);
  }
  if (is.bits & IS_AWAITED) announce(team);
  if (!(is.bits & IS_SILENT)) {
    Out* row = out + 3 * is.joint;
    row[0] = row_of(w.m.m[0], w.m.m[1], w.m.m[2], w.at.x + far_x);
    row[1] = row_of(w.m.m[3], w.m.m[4], w.m.m[5], w.at.y);
    row[2] = row_of(w.m.m[6], w.m.m[7], w.m.m[8], w.at.z + far_z);
  }
}
// The first window's joints of a warp, one after another: what there is to do is known when this is compiled.
template <int FROM, int TO>
D void walk(Walker& w, const Place& p, const Notes& notes, Noise noise, Out* out, float far_x, float far_z, int team, int lane) {
  if constexpr (FROM < TO) {
    constexpr Visit is = VISITS[FROM];
    constexpr V offset = PLACES_OF_JOINTS[is.joint];
    visit(w, is, offset, p, notes, noise, out, far_x, far_z, (is.bits & IS_RIGHT) != 0, team, lane);
    walk<FROM + 1, TO>(w, p, notes, noise, out, far_x, far_z, team, lane);
  }
}
// The same for the legs' warps: both legs are alike, so one code serves them.
template <int FROM, int TO>
D void walk_leg(Walker& w, const Place& p, const Notes& notes, Noise noise, Out* out, float far_x, float far_z, int foot, int team, int lane) {
  if constexpr (FROM < TO) {
    constexpr Visit left = VISITS[FROM], right = VISITS[FROM + LEG_VISITS];
    constexpr V one = PLACES_OF_JOINTS[left.joint], other = PLACES_OF_JOINTS[right.joint];
    const Visit is = {foot ? right.quad : left.quad, left.bits, foot ? right.column : left.column, foot ? right.joint : left.joint};
    const V offset = {one.x == other.x ? one.x : foot ? other.x : one.x, one.y == other.y ? one.y : foot ? other.y : one.y, one.z == other.z ? one.z : foot ? other.z : one.z};
    visit(w, is, offset, p, notes, noise, out, far_x, far_z, foot, team, lane);
    walk_leg<FROM + 1, TO>(w, p, notes, noise, out, far_x, far_z, foot, team, lane);
  }
}
// One leg: where its foot is asked to be, and how the leg bends so that it gets there. World rotations of its joints
// take the place of those in the parents' frames; notes get marks, holds, strain and how high the ball of the foot is.
D void hold_leg(const Place& p, Notes& notes, const Root& root, const Plant* plants, const Clock& t, int foot, float4& kept, int lane) {
  const Leg& g = LEGS[foot];
  Q a = root.facing * quad_of(p.stage, ROOT_QUAD, lane);
  V at = root.at, hip, knee;
  Q hip_turn;
#pragma unroll
  for (int i = 0; i < ABOVE + PATH; ++i) {
    const Visit is = CHAIN[foot][i];
    at = at + turned(a, OFFSETS[is.joint]);
    a = a * own_of(p, notes, is, lane);
    if (i >= ABOVE) put_quad(p.stage, is.quad, lane, a);
    if (i == ABOVE) { hip = at; hip_turn = a; }
    if (i == ABOVE + KNEE) knee = at;
  }
  const V heel = at + turned(a, g.heel), toe = at + turned(a, g.toe);
  const float4 r5 = notes.state[2][lane];
  Feet f = {__float_as_int(r5.x), 0, 0, 0.f, ((__float_as_int(r5.x) >> BEGUN) & 1) == 1, __float_as_int(r5.y)};
  Held h[2];
  bool rolling;
  const Target target = ask(g, plants, t, foot, hip, at, heel, toe, kept, f, h, rolling);
  const Bent bent = bend(g, hip, knee, at, hip_turn, a, heel, toe, target);
  note_standing(f, foot, h, rolling, bent.height);
#pragma unroll
  for (int i = 0; i < PATH - 1; ++i) {
    const int quad = CHAIN[foot][ABOVE + i].quad;
    put_quad(p.stage, quad, lane, (i < KNEE ? bent.swing : bent.folded) * quad_of(p.stage, quad, lane));
  }
  put_quad(p.stage, ANKLE_QUAD[foot], lane, bent.foot);
  const int own = (15 << (4 * foot)) | (3 << (STANDING + 2 * foot));
  notes.feet[4 * foot][lane] = __int_as_float((f.marks & own) | (f.planted << PLANTED));
  notes.feet[4 * foot + 1][lane] = __int_as_float(f.holds);
  notes.feet[4 * foot + 2][lane] = f.strain;
  notes.feet[4 * foot + 3][lane] = bent.ball;
}
// what both feet remember
D void put_marks(const Notes& notes, float4* __restrict__ records, int* __restrict__ where, int tri, int lane) {
  const int whose = notes.whose[lane];
  if (whose < 0) return;
  const float4 r5 = notes.state[2][lane];
  const float give = eased((STRAIN_TO - fmaxf(notes.feet[2][lane], notes.feet[6][lane])) / (STRAIN_TO - STRAIN_FROM));
  const int gives = (int)rintf(give * 255.f), before = (__float_as_int(r5.x) >> GIVE) & 255;
  const int marks = __float_as_int(notes.feet[0][lane]) | __float_as_int(notes.feet[4][lane]) | (1 << BEGUN) | (gives << GIVE);
  const int holds = __float_as_int(notes.feet[1][lane]) | __float_as_int(notes.feet[5][lane]);
  records[WORDS * (size_t)whose + 4] = make_float4(__int_as_float(marks), __int_as_float(holds), r5.z, __int_as_float(tri));
  if (gives != before) where[whose] = tri | (gives << TRIANGLE_BITS);
}

extern "C" __global__ void __launch_bounds__(32 * TEAM * TEAMS, 1) play(float4* __restrict__ records, int* __restrict__ where, float dt, float made, int harmonics, int columns, float noise, int beat, float beat_part, const uint4* __restrict__ coefficients, const float4* __restrict__ energies, const float4* __restrict__ gaits, const float4* __restrict__ means, const int2* __restrict__ runs, const int2* __restrict__ begins, const int* __restrict__ order, const float4* __restrict__ mixes, int* __restrict__ counts, float4* __restrict__ poses) {
  extern __shared__ uint4 shared[];
  const int lane = threadIdx.x & 31, team = threadIdx.x / (32 * TEAM), part = (threadIdx.x >> 5) % TEAM;
  uint4* own_coefficients = shared;
  float4* own_gaits = (float4*)(shared + CONSTANTS);
  float4* own_energies = own_gaits + FULL_ROWS;
  float4* room = own_energies + 3 * UPPER + team * ROOM;
  float4 *rows = room, *stage = room + ROWS_ROOM;
  Notes& notes = *(Notes*)(stage + 256 * STAGED);
  float4* keep = (float4*)(&notes + 1);
  uint4* bases = (uint4*)(OVERLAY ? rows : keep + 64 * KEPT);
  if (blockIdx.x == 0) for (int t = threadIdx.x; t < TRIANGLES; t += blockDim.x) counts[t] = 0;  // for the next step
  int from = begins[blockIdx.x].x, tri = begins[blockIdx.x].y;
  const int to = begins[blockIdx.x + 1].x;
  for (; from < to; ++tri) {
    const int2 run = runs[tri];
    const int end = min(to, runs[tri + 1].x);
    if (end <= from) continue;
    __syncthreads();
#pragma unroll 4
    for (int i = threadIdx.x; i < CONSTANTS; i += blockDim.x) own_coefficients[i] = coefficients[(size_t)tri * CONSTANTS + i];
    for (int i = threadIdx.x; i < 3 * UPPER; i += blockDim.x) own_energies[i] = energies[3 * UPPER * tri + i];
#if GAIT_SHARED
#pragma unroll 4
    for (int i = threadIdx.x; i < VERTICES * ROW; i += blockDim.x) own_gaits[i] = gaits[(size_t)tri * VERTICES * ROW + i];
    const float4* gait = own_gaits;
#else
    const float4* gait = gaits + (size_t)tri * VERTICES * ROW;
#endif
    __syncthreads();
    const Place place = {stage, rows, keep, means + (size_t)tri * JOINTS * 3, columns};
    const int own = 8 * part + (lane >> 2);  // the character of four threads
    const int end_of_run = 32 * run.x + run.y;
    int next = from + team < end ? order[min(32 * (from + team) + own, end_of_run - 1)] : 0;
#pragma unroll 1
    for (int group = from + team; group < end; group += TEAMS) {
      {  // ---- blends, four threads a character; the last one stands in for those that are missing
        const int t = lane & 3, slot = min(32 * group + own, end_of_run - 1), whose = next;
        const float4 mixed = mixes[slot];
        float4 state = records[WORDS * (size_t)whose + (t < 2 ? t : 4)];
        if (group + TEAMS < end) next = order[min(slot + 32 * TEAMS, end_of_run - 1)];
        const float w1 = mixed.x, w2 = mixed.y, w0 = 1.f - w1 - w2;
        const float4 head = numbers(cell_of(gait, w1, w2), 0);
        const float rate = TAU / head.x;
        float phase = __shfl_sync(ALL, state.x, lane & ~3) + rate * dt;
        phase -= TAU * floorf(phase * PER_TAU);
        const float turns = (phase - head.y) * PER_TAU;
        if (t == 3) state = make_float4(w1, w2, phase, rate);
        float gains[TURNS] = {};
        if (UPPER) find_gains(gains, own_energies, w0, w1, w2, t);
        float2 feet = make_float2(0.f, 0.f);
        if (__any_sync(ALL, mixed.z != 0.f || mixed.w != 0.f)) feet = move_feet(own_coefficients + 2 * EIGHTS * TILE, mixed, turns, harmonics, lane);
        together(team);  // all have done with the characters before
        notes.state[t][own] = state;
        notes.whose[own] = 32 * group + own < end_of_run ? whose : -1;
        *(float2*)&notes.feet[lane >> 2][8 * part + 2 * t] = feet;
        make_bases(bases + 32 * TILES * part + lane, w0, w1, w2, turns, harmonics, gains, lane);
      }
      together(team);
      // ---- harmonics, a group of eight quaternions a warp
#if OVERLAY
      {
        float sum[2][4][4] = {};
        const bool plain = part < PLAIN_EIGHTS;
        const int eight = plain ? part : part - PLAIN_EIGHTS + PLAIN / 32, lowest = plain ? 0 : PLAIN / 4 - 8 * eight, highest = plain ? PLAIN / 4 - 8 * eight : 8;
        if (part < UNITS) mix(own_coefficients + 2 * eight * TILE, bases + (plain || !UPPER ? 0 : BASIS), sum, lane);
        together(team);  // the bases give way to quaternions
        if (part < UNITS) put_eight(stage, rows, eight, PLACES[8 * eight + (lane >> 2)], lowest, highest, sum, lane);
      }
#else
#pragma unroll 1
      for (int unit = part; unit < UNITS; unit += TEAM) {
        float sum[2][4][4] = {};
        const bool plain = unit < PLAIN_EIGHTS;
        const int eight = plain ? unit : unit - PLAIN_EIGHTS + PLAIN / 32, lowest = plain ? 0 : PLAIN / 4 - 8 * eight, highest = plain ? PLAIN / 4 - 8 * eight : 8;
        mix(own_coefficients + 2 * eight * TILE, bases + (plain || !UPPER ? 0 : BASIS), sum, lane);
        put_eight(stage, rows, eight, PLACES[8 * eight + (lane >> 2)], lowest, highest, sum, lane);
      }
#endif
      together(team);
      if (group + TEAMS < end) {  // what the next round reads comes nearer meanwhile
        asm volatile("prefetch.global.L2 [%0];" ::"l"(records + WORDS * (size_t)next + (lane & 1 ? 4 : 0)));
        asm volatile("prefetch.global.L2 [%0];" ::"l"(mixes + 32 * (group + TEAMS) + own));
      }
      const int whose = notes.whose[lane];
      const float4 now = notes.state[3][lane];
      Root root;
      float far_x, far_z;
      if (part < 2) {  // ---- a leg
        const Cell cell = cell_of(gait, now.x, now.y);
        float4* own = records + WORDS * (size_t)max(whose, 0) + 2 + part;
        float4 kept = *own;
        const int marks = __float_as_int(notes.state[2][lane].x);
        Plant plants[2];
        float bears[2], way[2] = {};
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          plants[i] = plant_of(cell, 2 * part + i, now.z, now.w, ((marks >> (2 * (2 * part + i))) & 3) != 0, bears[i]);
          way[0] -= bears[i] * notes.feet[4 * part + 2 * i][lane];
          way[1] -= bears[i] * notes.feet[4 * part + 2 * i + 1][lane];
        }
        notes.way[part][0][lane] = way[0];
        notes.way[part][1][lane] = way[1];
        notes.way[part][2][lane] = bears[0] + bears[1];
        together(team);
        root = root_of(notes, dt, made, lane);
        hold_leg(place, notes, root, plants, {dt, now.z, now.w, root.turning / now.w, root.c, root.s}, part, kept, lane);
        if (whose >= 0) *own = kept;
      } else {  // ---- the root, and all that hangs above the legs
        float ahead = 0.f, aside = 0.f;
        if (part == 2) travel(notes, gait, quad_of(stage, TRAVEL_QUAD, lane), dt, lane, ahead, aside);
        together(team);
        root = root_of(notes, dt, made, lane);
        if (part == 2 && whose >= 0) {
          const float4 r1 = notes.state[0][lane], r2 = notes.state[1][lane];
          const float yaw = r1.w + .5f * dt * (r2.z + root.turning), keeps = (1.f - made) * 32768.f;
          const int lo = (int)rintf(fminf(fmaxf(keeps * root.owed_x, -32768.f), 32767.f)), hi = (int)rintf(fminf(fmaxf(keeps * root.owed_z, -32768.f), 32767.f));
          float4* record = records + WORDS * (size_t)whose;
          record[0] = make_float4(now.z, root.at.x, root.at.z, yaw - TAU * rintf(yaw * PER_TAU));
          record[1] = make_float4(ahead, aside, root.turning, __int_as_float((lo & 0xffff) | (hi << 16)));
        }
        if (AWAITS && part == 3) await(team);
      }
      {
        const int origin = __float_as_int(notes.state[2][lane].z);
        far_x = HALF ? -root.at.x : (float)((origin << 16) >> 16) * GRID;
        far_z = HALF ? -root.at.z : (float)(origin >> 16) * GRID;
      }
      const Noise own_noise = {noise, whose, beat, beat_part};
      Walker walker = {root.facing, root.at};
      Out* out = (Out*)(rows + PITCH * lane);
#if LEGS_ALIKE
      if (part < 2) walk_leg<WAYS[0], WAYS[1]>(walker, place, notes, own_noise, out, far_x, far_z, part, team, lane);
#else
      if (part == 0) walk<WAYS[0], WAYS[1]>(walker, place, notes, own_noise, out, far_x, far_z, team, lane);
      else if (part == 1) walk<WAYS[1], WAYS[2]>(walker, place, notes, own_noise, out, far_x, far_z, team, lane);
#endif
      else {
        if (part == 2) walk<WAYS[2], WAYS[3]>(walker, place, notes, own_noise, out, far_x, far_z, team, lane);
        else walk<WAYS[3], WAYS[4]>(walker, place, notes, own_noise, out, far_x, far_z, team, lane);
        if (FREE_FROM < FREE_TO) {  // what no leg touches goes out while legs are bent
          together_above(team);
          send<FREE_FROM, FREE_TO, 2>(rows, poses, notes, 0, part - 2, lane);
        }
      }
      together(team);
      send<0, FREE_FROM, TEAM>(rows, poses, notes, 0, part, lane);
      send<FREE_TO, WINDOW_PIECES, TEAM>(rows, poses, notes, 0, part, lane);
      if (part == 3) put_marks(notes, records, where, tri, lane);
#if WINDOWS > 1
#pragma unroll 1
      for (int window = 1; window < WINDOWS; ++window) {  // ---- what is left of large skeletons
        together(team);
#pragma unroll 1
        for (int eight = EIGHT_AT[window] + part; eight < EIGHT_AT[window + 1]; eight += TEAM) {
          float sum[2][4][4] = {};
          mix(own_coefficients + 2 * eight * TILE, bases + (UPPER ? BASIS : 0), sum, lane);
          put_eight(stage, rows, HALF ? RESIDENT + eight - EIGHT_AT[window] : STAGED, PLACES[8 * eight + (lane >> 2)], 0, 8, sum, lane);
        }
#pragma unroll 1
        for (int round = ROUND_AT[window]; round < ROUND_AT[window + 1]; ++round) {
          together(team);
#pragma unroll 1
          for (int i = WALK_AT[TEAM * round + part]; i < WALK_AT[TEAM * round + part + 1]; ++i)
            visit(walker, JOINT[i], OFFSETS[JOINT[i].joint], place, notes, own_noise, out - 3 * WINDOW * window, far_x, far_z, (JOINT[i].bits & IS_RIGHT) != 0, team, lane);
        }
        together(team);
        send<0, WINDOW_PIECES, TEAM>(rows, poses, notes, window, part, lane);
      }
#endif
    }
    from = end;
  }
}
