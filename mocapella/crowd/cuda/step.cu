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

// ---------------------------------------------------------------- a pair: two warps and 32 characters
D void together(int pair) { asm volatile("bar.sync %0, 64;" ::"r"(1 + pair) : "memory"); }

#if HALF
typedef uint2 Out;
D Out row_of(float a, float b, float c, float d) { return make_uint2(halves(a, b), halves(c, d)); }
#else
typedef float4 Out;
D Out row_of(float a, float b, float c, float d) { return make_float4(a, b, c, d); }
#endif
// What the warps of a pair tell each other about its characters.
struct Notes {  // _NOTES_BYTES in source.py
  float feet[8][32];    // how foot points move because the blend changes; later marks, holds, strain and ball of each leg
  float4 root[32];      // x, z and height before it makes way, turn rate
  float2 facing[32];    // sine and cosine of half of the heading
  int owed[32];         // how far it still has to make way
  float way[2][3][32];  // of each leg: by how much the root shall make way ahead and left, and how firmly
};

// Matrices go out in pieces of 96 bytes a character, of PIECE joints: memory is written by 32 bytes, and parts of these are
// slow. A piece of 32 characters is six groups of four words each; of every other four characters neighbours swap, so that
// banks do not collide.
#define SIX 6
#define PIECE (HALF ? 4 : 2)
#define STRIDE (ROOM * (HALF ? 3 : 6) / 2)  // groups of four words between characters
D void put_rows(float4* piece, const M& m, float x, float y, float z, int joint, int lane) {
  const int up = ((lane >> 2) & 1) << HALF;
  Out* own = (Out*)piece + (HALF ? 12 : 6) * lane;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const int r = 3 * (joint % PIECE) + k;
    own[r + ((r >> HALF) & 1 ? -up : up)] = row_of(m.m[3 * k], m.m[3 * k + 1], m.m[3 * k + 2], k == 0 ? x : k == 1 ? y : z);
  }
}
struct Targets { unsigned at[SIX]; };  // where the thread's words of a piece belong, in groups of four
D Targets targets_of(int whose, int lane) {
  Targets out;
#pragma unroll
  for (int i = 0; i < SIX; ++i) {
    const int character = (32 * i + lane) / SIX, k = (32 * i + lane) % SIX;
    out.at[i] = (unsigned)__shfl_sync(ALL, whose, character) * STRIDE + (k ^ ((character >> 2) & 1));
  }
  return out;
}
template <int FROM, int TO>
D void send(const float4* piece, float4* __restrict__ poses, const Targets& to, int joint, int lane) {
#pragma unroll
  for (int i = FROM; i < TO; ++i) __stcg(poses + to.at[i] + SIX * (joint / PIECE), piece[32 * i + lane]);
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
  const int word = notes.owed[lane];
  out.owed_x = (float)((word << 16) >> 16) * (1.f / 32768.f) + limit * (out.s * wa + out.c * wl);
  out.owed_z = (float)(word >> 16) * (1.f / 32768.f) + limit * (out.c * wa - out.s * wl);
  out.at = {r.x + made * out.owed_x, r.z, r.y + made * out.owed_z};
  out.facing = {h.y, 0.f, h.x, 0.f};
  out.turning = r.w;
  return out;
}
struct Travelled { float ahead, aside, yaw; };
// The root goes on by the mean of its speeds before and now; speeds: height, and metres and radians a second; r1 and r2: what
// is remembered of it.
D Travelled travel(Notes& notes, const Cell& cell, float4 r1, float4 r2, float phase, float rate, Q speeds, float dt, int lane) {
  float rowed[24];
#pragma unroll
  for (int k = 0; k < 6; ++k) {
    const float4 a = numbers(cell, k);
    rowed[4 * k] = a.x; rowed[4 * k + 1] = a.y; rowed[4 * k + 2] = a.z; rowed[4 * k + 3] = a.w;
  }
  float s, c;
  sincos_(phase, s, c);
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
  const float ahead = speeds.x + rate * fore, aside = speeds.y + rate * side, half = .5f * dt;
  const float yaw = r1.w + half * (r2.z + speeds.z), fo = half * (r2.x + ahead), si = half * (r2.y + aside);
  sincos_(.5f * (r1.w + yaw), s, c);
  notes.root[lane] = make_float4(r1.y + (s * fo + c * si), r1.z + (c * fo - s * si), height, speeds.z);
  sincos_(.5f * yaw, s, c);
  notes.facing[lane] = make_float2(s, c);
  notes.owed[lane] = __float_as_int(r2.w);
  return {ahead, aside, yaw};
}

// ---------------------------------------------------------------- walks along the skeleton
struct Noise { float size; int id, beat; float beat_part; };
// What a warp has while it walks; piece: its own room for a piece; far: where the character's origin is.
struct Place { float4 *stage, *keep, *piece; const float4* means; int columns; float w1, w2, far_x, far_z; Q facing; V root; Noise noise; };
struct Walker { Q q; V at; M m; };
D Q own_of(const Place& p, Visit is, int lane) {
  if (DETAILED && is.column >= p.columns && !(is.bits & IS_GIVEN)) return mean_of(p.means + 3 * is.joint, 1.f - p.w1 - p.w2, p.w1, p.w2);
  return quad_of(p.stage, is.quad, lane);
}
D void go(V& at, const M& m, V offset) {
  if (offset.x != 0.f) at = {fmaf(m.m[0], offset.x, at.x), fmaf(m.m[3], offset.x, at.y), fmaf(m.m[6], offset.x, at.z)};
  if (offset.y != 0.f) at = {fmaf(m.m[1], offset.y, at.x), fmaf(m.m[4], offset.y, at.y), fmaf(m.m[7], offset.y, at.z)};
  if (offset.z != 0.f) at = {fmaf(m.m[2], offset.z, at.x), fmaf(m.m[5], offset.z, at.y), fmaf(m.m[8], offset.z, at.z)};
}
// A joint: it begins where the one before it ended, or where its parent was kept.
D void visit(Walker& w, const Visit is, const V offset, Q own, const Place& p, const Notes& notes, float4* __restrict__ poses, const Targets& to, int lane) {
  if (is.bits & FROM_KEPT) {
    const float4 *kept = p.keep + 64 * ((is.bits >> 8) & 255) + lane, one = kept[0], two = kept[32];
    w.q = {one.x, one.y, one.z, one.w};
    w.at = {two.x, two.y, two.z};
    w.m = matrix(w.q);
  }
  if (is.joint) go(w.at, w.m, offset);
  else { w.q = p.facing; w.at = p.root; }
  if (DETAILED && NOISY && (is.bits & IS_NOISY) && p.noise.size > 0.f) own = noisy(own, p.noise.id, (is.bits >> 24) & 255, p.noise.size, p.noise.beat, p.noise.beat_part);
  w.q = is.bits & IS_GIVEN ? own : w.q * own;
  if (is.bits & IS_TOE) {
    const int foot = (is.bits & IS_RIGHT) != 0;
    w.q = toes_of(LEGS[foot], w.q, quad_of(p.stage, ANKLE_QUAD[foot], lane), notes.feet[4 * foot + 3][lane]);
  }
  w.m = matrix(w.q);
  if (is.bits & IS_KEPT) {
    float4* kept = p.keep + 64 * ((is.bits >> 16) & 255) + lane;
    kept[0] = make_float4(w.q.w, w.q.x, w.q.y, w.q.z);
    kept[32] = make_float4(w.at.x, w.at.y, w.at.z, 0.f);
  }
  if (is.bits & IS_SILENT) return;
  float4* piece = is.shared < 0 ? p.piece : p.stage + SHARED_PIECES + 32 * SIX * is.shared;
  put_rows(piece, w.m, w.at.x + p.far_x, w.at.y, w.at.z + p.far_z, is.joint, lane);
  if (is.last) {
    __syncwarp();
    send<0, SIX>(piece, poses, to, is.joint, lane);
    __syncwarp();
  }
}
// The first window's joints of a warp, one after another: what there is to do is known when this is compiled.
template <int FROM, int TO>
D void walk(Walker& w, Q own, const Place& p, const Notes& notes, float4* __restrict__ poses, const Targets& to, int lane) {
  if constexpr (FROM < TO) {
    constexpr Visit is = VISITS[FROM], after = VISITS[FROM + 1 < TO ? FROM + 1 : FROM];
    constexpr V offset = PLACES_OF_JOINTS[is.joint];
    const Q next = own_of(p, after, lane);  // it is there in time
    visit(w, is, offset, own, p, notes, poses, to, lane);
    walk<FROM + 1, TO>(w, next, p, notes, poses, to, lane);
  }
}
template <int FROM, int TO>
D void walk(const Place& p, const Notes& notes, float4* __restrict__ poses, const Targets& to, int lane) {
  if constexpr (FROM < TO) {
    constexpr Visit is = VISITS[FROM];
    Walker w;
    walk<FROM, TO>(w, own_of(p, is, lane), p, notes, poses, to, lane);
  }
}
// One leg: where its foot is asked to be, and how the leg bends so that it gets there. World rotations of its joints
// take the place of those in the parents' frames; notes get marks, holds, strain and how high the ball of the foot is.
D void hold_leg(const Place& p, Notes& notes, const Root& root, const Plant* plants, const Clock& t, int marks, int holds, int foot, float4& kept, int lane) {
  const Leg& g = LEGS[foot];
  Q a = root.facing * quad_of(p.stage, ROOT_QUAD, lane);
  V at = root.at, hip, knee;
  Q hip_turn;
#pragma unroll
  for (int i = 0; i < ABOVE + PATH; ++i) {
    const Visit is = CHAIN[foot][i];
    at = at + turned(a, OFFSETS[is.joint]);
    a = a * own_of(p, is, lane);
    if (i >= ABOVE) put_quad(p.stage, is.quad, lane, a);
    if (i == ABOVE) { hip = at; hip_turn = a; }
    if (i == ABOVE + KNEE) knee = at;
  }
  const V heel = at + turned(a, g.heel), toe = at + turned(a, g.toe);
  Feet f = {marks, 0, 0, 0.f, ((marks >> BEGUN) & 1) == 1, holds};
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
// what both feet remember; was: their marks before
D void put_marks(const Notes& notes, float4* __restrict__ records, int* __restrict__ where, int whose, int was, int origin, int tri, int lane) {
  const float give = eased((STRAIN_TO - fmaxf(notes.feet[2][lane], notes.feet[6][lane])) / (STRAIN_TO - STRAIN_FROM));
  const int gives = (int)rintf(give * 255.f), before = (was >> GIVE) & 255;
  const int marks = __float_as_int(notes.feet[0][lane]) | __float_as_int(notes.feet[4][lane]) | (1 << BEGUN) | (gives << GIVE);
  const int holds = __float_as_int(notes.feet[1][lane]) | __float_as_int(notes.feet[5][lane]);
  records[WORDS * (size_t)whose + 4] = make_float4(__int_as_float(marks), __int_as_float(holds), __int_as_float(origin), __int_as_float(tri));
  if (gives != before) where[whose] = tri | (gives << TRIANGLE_BITS);
}

#define FULL_ROWS (GAIT_SHARED ? VERTICES * ROW : 0)
#define FOOT_TABLE (FOOT_TILES * 64)
#define AT_ONCE 3  // eights that are mixed at a time
#define CONSTANTS (ALL_COEFFICIENTS + FOOT_TABLE)  // uint4s of a triangle
#define AFTER (2 * 32 * SIX + 64 * KEPT)           // float4s that are needed after harmonics are mixed
#define NOTES_ROOM ((int)sizeof(Notes) / 16 + 2 * 32 * MEMORIES)
#define PAIR_ROOM (256 * STAGED + (WINDOWS == 1 ? (BASIS > AFTER ? BASIS : AFTER) : BASIS + AFTER) + NOTES_ROOM)

// What a thread has to know of its character: its weights and their changes, and what was remembered. It is asked for a
// round before it is needed, and lies in shared memory until then.
enum { MIXED, REMEMBERED_ROOT, SPEEDS, FOOT, MARKS, MEMORIES };
D void ask_for(float4* memory, const float4* records, const float4* __restrict__ mixes, int whose, int slot, int side, int lane) {
  const float4* record = records + WORDS * (size_t)whose;
  const unsigned to = (unsigned)__cvta_generic_to_shared(memory + lane);
  const float4* from[MEMORIES] = {mixes + slot, record, record + 1, record + 2 + side, record + 4};
#pragma unroll
  for (int i = 0; i < MEMORIES; ++i) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 512 * i), "l"(from[i]));
  asm volatile("cp.async.commit_group;");
}
D void await_memory() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// nobody: the number of a record and a row of poses that no character has
extern "C" __global__ void play(float4* __restrict__ records, int* __restrict__ where, int nobody, float dt, float made, int harmonics, int columns, float noise, int beat, float beat_part, const uint4* __restrict__ coefficients, const float4* __restrict__ energies, const float4* __restrict__ gaits, const float4* __restrict__ means, const int2* __restrict__ runs, const int2* __restrict__ begins, const int* __restrict__ order, const float4* __restrict__ mixes, int* __restrict__ counts, float4* __restrict__ poses) {
  extern __shared__ uint4 shared[];
  const int lane = threadIdx.x & 31, pair = threadIdx.x / 64, side = (threadIdx.x >> 5) & 1;  // side: of the leg; 0 left
  uint4* own_coefficients = shared;
  float4* own_gaits = (float4*)(shared + CONSTANTS);
  float4* own_energies = own_gaits + FULL_ROWS;
  float4* stage = own_energies + 3 * UPPER + pair * PAIR_ROOM;
  uint4* bases = (uint4*)(stage + 256 * STAGED);
  float4* after = (float4*)(bases + (WINDOWS == 1 ? 0 : BASIS));
  float4* keep = after + 2 * 32 * SIX;
  Notes& notes = *(Notes*)(stage + PAIR_ROOM - NOTES_ROOM);
  float4* memory = (float4*)(&notes + 1) + 32 * MEMORIES * side;
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
    const int last = 32 * run.x + run.y - 1;
    int next = __ldcg(order + min(32 * min(from + pair, end - 1) + lane, last));
    await_memory();  // of the triangle before: what was asked for last is not needed, but still comes
    ask_for(memory, records, mixes, next, min(32 * (from + pair) + lane, last), side, lane);
#pragma unroll 1
    for (int group = from + pair; group < end; group += PAIRS) {
      // ---- blends; the last character stands in for those that are missing
      const int slot = 32 * group + lane, whose = slot <= last ? next : nobody;
      await_memory();
      const float4 mixed = memory[32 * MIXED + lane];
      const int marks = __float_as_int(memory[32 * MARKS + lane].x), origin = __float_as_int(memory[32 * MARKS + lane].z);
      next = __ldcg(order + min(slot + 32 * PAIRS, last));
      const Cell cell = cell_of(gait, mixed.x, mixed.y);
      const float4 head = numbers(cell, 0);
      const float rate = TAU / head.x;
      float phase = memory[32 * REMEMBERED_ROOT + lane].x + rate * dt;
      phase -= TAU * floorf(phase * PER_TAU);
      const bool moves = __any_sync(ALL, mixed.z != 0.f || mixed.w != 0.f);
      {
        const Blend blend = {1.f - mixed.x - mixed.y, mixed.x, mixed.y, (phase - head.y) * PER_TAU, harmonics};
        if (side == 0) {
          make_tiles<0, TILES / 2>(bases, own_energies, blend, lane);
          if (moves) make_foot_tiles<0, (FOOT_TILES + 1) / 2>(stage, blend, lane);
        } else {
          make_tiles<TILES / 2, TILES>(bases, own_energies, blend, lane);
          if (moves) make_foot_tiles<(FOOT_TILES + 1) / 2, FOOT_TILES>(stage, blend, lane);
        }
      }
      together(pair);
      // ---- harmonics, of 16 characters a warp
      if (moves) move_feet(notes.feet, own_coefficients + ALL_COEFFICIENTS, stage, mixed, side, lane);
      else
#pragma unroll
        for (int k = 0; k < 4; ++k) notes.feet[4 * side + k][lane] = 0.f;
#pragma unroll
      for (int eight = 0; eight < FIRST_EIGHTS; eight += AT_ONCE) {
        if (eight + AT_ONCE <= FIRST_EIGHTS) mix<AT_ONCE>(stage, own_coefficients, bases, eight, eight, side, lane);
        else mix<FIRST_EIGHTS % AT_ONCE ? FIRST_EIGHTS % AT_ONCE : 1>(stage, own_coefficients, bases, eight, eight, side, lane);
      }
      together(pair);
      // ---- the root and both legs
      Place place = {stage, keep, after + 32 * SIX * side, means + (size_t)tri * JOINTS * 3, columns, mixed.x, mixed.y, 0.f, 0.f, {}, {}, {noise, whose, beat, beat_part}};
      Root root;
      {
        Plant plants[2];
        float bears[2], way[2] = {};
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          plants[i] = plant_of(cell, 2 * side + i, phase, rate, ((marks >> (2 * (2 * side + i))) & 3) != 0, bears[i]);
          way[0] -= bears[i] * notes.feet[4 * side + 2 * i][lane];
          way[1] -= bears[i] * notes.feet[4 * side + 2 * i + 1][lane];
        }
        notes.way[side][0][lane] = way[0];
        notes.way[side][1][lane] = way[1];
        notes.way[side][2][lane] = bears[0] + bears[1];
        Travelled gone;
        if (side == 0) gone = travel(notes, cell, memory[32 * REMEMBERED_ROOT + lane], memory[32 * SPEEDS + lane], phase, rate, quad_of(stage, TRAVEL_QUAD, lane), dt, lane);
        together(pair);
        root = root_of(notes, dt, made, lane);
        float4* own = records + WORDS * (size_t)whose;
        if (side == 0) {
          const float keeps = (1.f - made) * 32768.f;
          const int lo = (int)rintf(fminf(fmaxf(keeps * root.owed_x, -32768.f), 32767.f)), hi = (int)rintf(fminf(fmaxf(keeps * root.owed_z, -32768.f), 32767.f));
          own[0] = make_float4(phase, root.at.x, root.at.z, gone.yaw - TAU * rintf(gone.yaw * PER_TAU));
          own[1] = make_float4(gone.ahead, gone.aside, root.turning, __int_as_float((lo & 0xffff) | (hi << 16)));
        }
        float4 kept = memory[32 * FOOT + lane];
        hold_leg(place, notes, root, plants, {dt, phase, rate, root.turning / rate, root.c, root.s}, marks, __float_as_int(memory[32 * MARKS + lane].y), side, kept, lane);
        own[2 + side] = kept;
      }
      ask_for(memory, records, mixes, next, min(slot + 32 * PAIRS, last), side, lane);
      // ---- all joints: first what no leg touches, then the rest
      place.far_x = HALF ? -root.at.x : (float)((origin << 16) >> 16) * GRID;
      place.far_z = HALF ? -root.at.z : (float)(origin >> 16) * GRID;
      const Targets targets = targets_of(whose, lane);
      place.facing = root.facing;
      place.root = root.at;
      if (side == 0) walk<WAYS[0], WAYS[1]>(place, notes, poses, targets, lane);
      else walk<WAYS[1], WAYS[2]>(place, notes, poses, targets, lane);
      together(pair);
      if (side == 0) walk<WAYS[2], WAYS[3]>(place, notes, poses, targets, lane);
      else walk<WAYS[3], WAYS[4]>(place, notes, poses, targets, lane);
      together(pair);
#pragma unroll
      for (int i = 0; i < SHARED_JOINTS; ++i) {
        const float4* piece = stage + SHARED_PIECES + 32 * SIX * i;
        if (side == 0) send<0, SIX / 2>(piece, poses, targets, JOINTS_SHARED[i], lane);
        else send<SIX / 2, SIX>(piece, poses, targets, JOINTS_SHARED[i], lane);
      }
      if (side) put_marks(notes, records, where, whose, marks, origin, tri, lane);
#if WINDOWS > 1
#pragma unroll 1
      for (int window = 1; window < WINDOWS; ++window) {  // ---- what is left of large skeletons
        together(pair);
#pragma unroll 1
        for (int eight = EIGHT_AT[window]; eight < EIGHT_AT[window + 1]; ++eight) mix<1>(stage, own_coefficients, bases, eight, RESIDENT + eight - EIGHT_AT[window], side, lane);
#pragma unroll 1
        for (int round = ROUND_AT[window]; round < ROUND_AT[window + 1]; ++round) {
          together(pair);
          Walker walker;
#pragma unroll 1
          for (int i = WALK_AT[2 * round + side]; i < WALK_AT[2 * round + side + 1]; ++i)
            visit(walker, JOINT[i], OFFSETS[JOINT[i].joint], own_of(place, JOINT[i], lane), place, notes, poses, targets, lane);
        }
      }
#endif
    }
    from = end;
  }
}
