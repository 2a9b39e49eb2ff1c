// Nanoseconds a character by ozz-animation (0.14 or newer), as JSON: {"blend": …, "feet": …}.
//
//   ozz_feet COUNT ROUNDS
//
// blend: three clips of 23 joints sampled, blended, and brought into the model's space. feet: the same, and what ozz's
// foot-IK sample does after it: two-bone IK and an ankle aim for both legs, each followed by the part of local-to-model
// that it changes. Processor time of the fastest round, one thread, both in turn. Built by `make peers`; the text is our
// own and holds nothing of ozz.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "ozz/animation/offline/animation_builder.h"
#include "ozz/animation/offline/raw_animation.h"
#include "ozz/animation/offline/raw_skeleton.h"
#include "ozz/animation/offline/skeleton_builder.h"
#include "ozz/animation/runtime/animation.h"
#include "ozz/animation/runtime/blending_job.h"
#include "ozz/animation/runtime/ik_aim_job.h"
#include "ozz/animation/runtime/ik_two_bone_job.h"
#include "ozz/animation/runtime/local_to_model_job.h"
#include "ozz/animation/runtime/sampling_job.h"
#include "ozz/animation/runtime/skeleton.h"
#include "ozz/base/containers/vector.h"
#include "ozz/base/maths/simd_math.h"
#include "ozz/base/maths/simd_quaternion.h"
#include "ozz/base/maths/soa_transform.h"

namespace oa = ozz::animation;
namespace om = ozz::math;
namespace off = ozz::animation::offline;

static constexpr int kJoints = 23, kClips = 3, kFrames = 34;
static constexpr float kRate = 30.f;
// A body: a spine of four and a head, arms of four, legs of four joints. Parents come first, depth first.
static const int kParent[kJoints] = {-1, 0, 1, 2, 3, 4, 5, 3, 7, 8, 9, 3, 11, 12, 13, 0, 15, 16, 17, 0, 19, 20, 21};
static const int kLegs[2][3] = {{15, 16, 17}, {19, 20, 21}};
static const float kWeights[kClips] = {.2f, .3f, .5f};

static void check(bool done, const char* what) {
  if (done) return;
  std::fprintf(stderr, "Error: ozz refuses: %s\n", what);
  std::exit(1);
}

static om::Float3 offset(int j) {
  if (j == 0) return {0.f, .95f, 0.f};
  if (j == 15 || j == 19) return {j == 15 ? .09f : -.09f, -.05f, 0.f};
  if (j > 15) return (j == 18 || j == 22) ? om::Float3(0.f, -.06f, .13f) : om::Float3(0.f, -.42f, 0.f);
  if (j == 7 || j == 11) return {j == 7 ? .1f : -.1f, .05f, 0.f};
  if (j > 7) return {j < 11 ? .2f : -.2f, 0.f, 0.f};
  return {0.f, .12f, 0.f};
}

static off::RawSkeleton::Joint joint(int j) {
  off::RawSkeleton::Joint made;
  made.name = std::to_string(j).c_str();
  made.transform = om::Transform::identity();
  made.transform.translation = offset(j);
  for (int k = j + 1; k < kJoints; ++k)
    if (kParent[k] == j) made.children.push_back(joint(k));
  return made;
}

// Every joint turns about its side by two harmonics of its own, keys at every frame: nothing can be left out as constant.
static ozz::unique_ptr<oa::Animation> clip(const oa::Skeleton& skeleton, int which) {
  off::RawAnimation raw;
  raw.duration = (kFrames - 1) / kRate;
  raw.tracks.resize(kJoints);
  for (int i = 0; i < kJoints; ++i) {
    const int j = std::atoi(skeleton.joint_names()[i]);
    for (int f = 0; f < kFrames; ++f) {
      const float at = f / kRate, phase = 6.2831853f * f / (kFrames - 1);
      const float bend = j == 16 || j == 20 ? .5f : 0.f;  // knees are never straight
      const float half = .5f * (bend + .3f * std::sin(phase + j + .2f * which) + .1f * std::cos(2.f * phase + 2 * j));
      off::RawAnimation::RotationKey turned;
      turned.time = at;
      turned.value = om::Quaternion(std::sin(half), 0.f, 0.f, std::cos(half));
      raw.tracks[i].rotations.push_back(turned);
      off::RawAnimation::TranslationKey moved;
      moved.time = at;
      moved.value = offset(j);
      if (j == 0) moved.value.y += .02f * std::sin(2.f * phase);
      if (j == 0 || f == 0) raw.tracks[i].translations.push_back(moved);
    }
  }
  auto built = off::AnimationBuilder()(raw);
  check(bool(built), "a clip");
  return built;
}

struct Character {
  oa::SamplingJob::Context context[kClips];
  float ratio = 0.f;
};

struct Crowd {
  ozz::unique_ptr<oa::Skeleton> skeleton;
  ozz::unique_ptr<oa::Animation> clips[kClips];
  std::vector<std::unique_ptr<Character>> characters;
  ozz::vector<om::SoaTransform> sampled[kClips], blended;
  ozz::vector<om::Float4x4> models;  // of all characters, as ours are
  int leg[2][3];
};

static void pose(Crowd& c, size_t i) {
  Character& one = *c.characters[i];
  one.ratio += 1.f / 60.f / c.clips[0]->duration();
  if (one.ratio >= 1.f) one.ratio -= 1.f;
  oa::BlendingJob::Layer layers[kClips];
  for (int k = 0; k < kClips; ++k) {
    oa::SamplingJob sampling;
    sampling.animation = c.clips[k].get();
    sampling.context = &one.context[k];
    sampling.ratio = one.ratio;
    sampling.output = ozz::make_span(c.sampled[k]);
    check(sampling.Run(), "sampling");
    layers[k].transform = ozz::make_span(c.sampled[k]);
    layers[k].weight = kWeights[k];
  }
  oa::BlendingJob blend;
  blend.layers = layers;
  blend.rest_pose = c.skeleton->joint_rest_poses();
  blend.output = ozz::make_span(c.blended);
  check(blend.Run(), "blending");
  oa::LocalToModelJob model;
  model.skeleton = c.skeleton.get();
  model.input = ozz::make_span(c.blended);
  model.output = {c.models.data() + i * kJoints, size_t(kJoints)};
  check(model.Run(), "local to model");
}

static void turn(int joint, const om::SimdQuaternion& by, om::SoaTransform* locals) {
  om::SoaTransform& four = locals[joint / 4];
  om::SimdQuaternion quaternions[4];
  om::Transpose4x4(&four.rotation.x, &quaternions->xyzw);
  quaternions[joint & 3] = quaternions[joint & 3] * by;
  om::Transpose4x4(&quaternions->xyzw, &four.rotation.x);
}

static void again(Crowd& c, om::Float4x4* m, int from, int to) {
  oa::LocalToModelJob model;
  model.skeleton = c.skeleton.get();
  model.from = from;
  model.to = to;
  model.input = ozz::make_span(c.blended);
  model.output = {m, size_t(kJoints)};
  check(model.Run(), "a part of local to model");
}

static void feet(Crowd& c, size_t i) {
  om::Float4x4* m = c.models.data() + i * kJoints;
  for (const auto& leg : c.leg) {
    om::SimdQuaternion start, mid, ankle;
    oa::IKTwoBoneJob bend;
    bend.target = m[leg[2]].cols[3] + om::simd_float4::Load(.01f, .005f, .01f, 0.f);
    bend.mid_axis = om::simd_float4::x_axis();
    bend.pole_vector = m[leg[1]].cols[1];
    bend.start_joint = &m[leg[0]];
    bend.mid_joint = &m[leg[1]];
    bend.end_joint = &m[leg[2]];
    bend.start_joint_correction = &start;
    bend.mid_joint_correction = &mid;
    check(bend.Run(), "two-bone IK");
    turn(leg[0], start, c.blended.data());
    turn(leg[1], mid, c.blended.data());
    again(c, m, leg[0], leg[2]);
    oa::IKAimJob aim;
    aim.joint = &m[leg[2]];
    aim.target = m[leg[2]].cols[3] + om::simd_float4::y_axis();
    aim.forward = om::simd_float4::y_axis();
    aim.up = om::simd_float4::z_axis();
    aim.pole_vector = om::simd_float4::z_axis();
    aim.joint_correction = &ankle;
    check(aim.Run(), "aim IK");
    turn(leg[2], ankle, c.blended.data());
    again(c, m, leg[2], kJoints);
  }
}

static double step(Crowd& c, bool held) {
  timespec before, after;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  for (size_t i = 0; i < c.characters.size(); ++i) {
    pose(c, i);
    if (held) feet(c, i);
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  const double ns = 1e9 * double(after.tv_sec - before.tv_sec) + double(after.tv_nsec - before.tv_nsec);
  return ns / double(c.characters.size());
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 0, rounds = argc > 2 ? std::atoi(argv[2]) : 0;
  if (count < 1 || rounds < 1) {
    std::fprintf(stderr, "Error: expected ozz_feet COUNT ROUNDS, both from 1\n");
    return 2;
  }
  Crowd c;
  off::RawSkeleton raw;
  raw.roots.push_back(joint(0));
  c.skeleton = off::SkeletonBuilder()(raw);
  check(bool(c.skeleton), "the skeleton");
  for (int i = 0; i < kJoints; ++i)  // ozz may order joints in its own way
    for (int side = 0; side < 2; ++side)
      for (int k = 0; k < 3; ++k)
        if (std::atoi(c.skeleton->joint_names()[i]) == kLegs[side][k]) c.leg[side][k] = i;
  for (int k = 0; k < kClips; ++k) {
    c.clips[k] = clip(*c.skeleton, k);
    c.sampled[k].resize(c.skeleton->num_soa_joints());
  }
  c.blended.resize(c.skeleton->num_soa_joints());
  c.models.resize(size_t(count) * kJoints);
  for (int i = 0; i < count; ++i) {
    c.characters.push_back(std::make_unique<Character>());
    for (auto& context : c.characters.back()->context) context.Resize(kJoints);
    c.characters.back()->ratio = std::fmod(.37f * float(i), 1.f);
  }
  double best[2] = {1e300, 1e300};
  for (int round = 0; round < rounds; ++round)
    for (int held = 0; held < 2; ++held) best[held] = std::fmin(best[held], step(c, held == 1));
  std::printf("{\"blend\": %.1f, \"feet\": %.1f}\n", best[0], best[1]);
  return 0;
}
