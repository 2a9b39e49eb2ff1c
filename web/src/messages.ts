// Written by `python -m mocapella.studio.typescript`; change mocapella/studio/messages instead.

/**
 * Everything that travels between the page and the server, declared once; the page's types are made from it.
 *
 * - ``GET /ws`` is the one WebSocket: JSON texts both ways (``commands``, ``answers``), and binary pose frames
 *   (``frames``) to the page. The server begins with ``hello``, ``project``, ``body``, ``network`` and ``node_poses``,
 *   then poses follow at ``hello.rate`` per second. A page that lost its connection connects again and is sent the same.
 * - ``POST /upload?name=walk.bvh&batch=7`` with the file as its body stores a file below the opened folder and answers
 *   ``{"path": …}``, for ``import``. Files of one drop have the same ``batch``, so that an ASF lies beside its AMC; a name
 *   may have folders in it. Refusals are ``{"error": …}`` with status 4xx.
 * - ``GET /files/PATH`` fetches a file that was written.
 * - ``GET /health`` answers ``{"ok": true, "version": …}``.
 *
 * With ``--host`` every one of these but ``/health`` needs ``?token=…``, which stands in the address that was printed.
 */

/** Open a network (``.moca``), a project (``studio.json``) or a capture of the opened folder, or the actor: edit. */
export interface Open {
  type: 'open'
  path?: string // relative to the opened folder; empty: the embedded actor's network
  recent?: string // of ``hello.recent``, instead of a path: its folder is opened
  seq: number
}

/** Take captures in that were uploaded or lie in the opened folder, and build the network of all clips: edit. */
export interface ImportFiles {
  type: 'import'
  paths: string[] // files or folders, relative
  at?: [number, number] | null // dropped on the network there: one clip becomes a node at this place
  seq: number
}

/** Stop the job that is under way (import, build, map); what was there before stays. */
export interface Cancel {
  type: 'cancel'
  job?: number // 0: all
  seq: number
}

/** List a folder of the opened folder: answered with ``folder``. */
export interface Files {
  type: 'files'
  path?: string
  seq: number
}

/** Take the last edit back. */
export interface Undo {
  type: 'undo'
  seq: number
}

/** Do it again. */
export interface Redo {
  type: 'redo'
  seq: number
}

/** Write the project file, and the network as ``.moca``: answered with ``written``. */
export interface Save {
  type: 'save'
  path?: string // relative to the opened folder; empty: where it was saved or opened
  seq: number
}

/** Give the project another name: edit. */
export interface Rename {
  type: 'rename'
  name: string
  seq: number
}

/** Ask for the Python script of the project as it is: answered with ``script``. */
export interface Script {
  type: 'script'
  seq: number
}

/** Overrule what was understood when a file was read: edit. None leaves a choice as it is. */
export interface Correct {
  type: 'correct'
  clip: string
  unit?: 'cm' | 'cmu' | 'dm' | 'ft' | 'inch' | 'm' | 'mm' | 'mmd' | null
  up?: '-x' | '-y' | '-z' | 'x' | 'y' | 'z' | null // axis of the file
  facing?: number | null // degrees from +z to where the body looks in the rest pose
  roles?: { [key: string]: string } | null // role → joint; those that are left out are found
  frame_rate?: number | null
  guess?: ('facing' | 'frame_rate' | 'roles' | 'unit' | 'up')[] // left to the reader again
  seq: number
}

/** Take this stretch of a clip as its cycle: edit. None returns to the automatic choice. */
export interface ChooseCycle {
  type: 'choose_cycle'
  clip: string
  frames?: [number, number] | null // first row, and the row that shows the same pose a cycle later
  seq: number
}

/** Look for turns or for straight stretches in a clip: edit. None goes by its heading. */
export interface ChooseTurning {
  type: 'choose_turning'
  clip: string
  turning?: boolean | null
  seq: number
}

/** Mirror a clip, or not: edit. */
export interface Mirror {
  type: 'mirror'
  clip: string
  mirrored: boolean
  seq: number
}

/** Close the cycle of a clip by this method of ``hello.closings``: edit. */
export interface ChooseClosing {
  type: 'choose_closing'
  clip: string
  method: string
  seq: number
}

/** Foot plants of a clip, by hand: edit. None returns to those that were found. */
export interface SetPlants {
  type: 'set_plants'
  clip: string
  plants?: { [key in 'left_heel' | 'left_toe' | 'right_heel' | 'right_toe']?: [number, number][] } | null // first and last row, both planted
  seq: number
}

/** Turn the motion of a node against the others, beside the automatic synchronisation: edit. */
export interface SetOffset {
  type: 'set_offset'
  node: string
  degrees: number // of its cycle; 0 is the automatic choice
  block?: string
  seq: number
}

/** Leave a clip out of the project; its file stays: edit. */
export interface RemoveClip {
  type: 'remove_clip'
  clip: string
  seq: number
}

/** Everything about one clip: answered with ``clip``. */
export interface AskClip {
  type: 'ask_clip'
  clip: string
  seq: number
}

/** Two nodes half and half, by their synchronisation: answered with ``sync``. */
export interface AskSync {
  type: 'ask_sync'
  first: string
  second: string
  degrees?: number // offset tried, beside that of the project
  block?: string
  seq: number
}

/**
 * Move a node: edit. A move that would fold a triangle ends at the last sound place on its way.
 *
 * Moves of one drag have the same ``drag`` and make one step of undo.
 */
export interface MoveNode {
  type: 'move_node'
  node: string
  at: [number, number]
  block?: string
  drag?: number // 0: a move by itself
  seq: number
}

/** Give a node another name: edit. */
export interface RenameNode {
  type: 'rename_node'
  node: string
  name: string
  block?: string
  seq: number
}

/** Add a node: of a clip of the project, or, without one, the blend at that place: edit. */
export interface AddNode {
  type: 'add_node'
  at?: [number, number] | null // None: where the clip's turn and speed have it
  clip?: string
  name?: string
  block?: string
  seq: number
}

/** Take a node out; triangles close over the gap: edit. */
export interface RemoveNode {
  type: 'remove_node'
  node: string
  block?: string
  seq: number
}

/** Join three nodes: edit. */
export interface AddTriangle {
  type: 'add_triangle'
  nodes: [string, string, string]
  block?: string
  seq: number
}

/** Take a triangle out: edit. */
export interface RemoveTriangle {
  type: 'remove_triangle'
  nodes: [string, string, string]
  block?: string
  seq: number
}

/** The other diagonal of the two triangles at an edge: edit. */
export interface FlipEdge {
  type: 'flip_edge'
  nodes: [string, string]
  block?: string
  seq: number
}

/** Blend by this rule of ``hello.rules``: edit. */
export interface SetRule {
  type: 'set_rule'
  rule: string
  seq: number
}

/** Use this many harmonics, while it plays: edit. None is all. */
export interface SetHarmonics {
  type: 'set_harmonics'
  harmonics: number | null
  drag?: number // changes of one drag make one step of undo
  seq: number
}

/** Take harmonics from ``first`` on whole from one node: edit. None blends all. */
export interface SetSingleSource {
  type: 'set_single_source'
  first: number | null
  seq: number
}

/** A layer over the network, with its worst spot and what helps: answered with ``map`` when it is made. */
export interface AskMap {
  type: 'ask_map'
  layer: 'distortion' | 'slip'
  block?: string
  seq: number
}

/** Curves, magnitudes and phase angles of one dof, or of a joint's flexion: answered with ``spectra``. */
export interface AskSpectra {
  type: 'ask_spectra'
  dof: string // a name of ``network.dofs``
  sources?: string[] // nodes; empty: the blend at ``point``
  point?: [number, number] | null // None: where the first character's point is
  harmonics?: number | null // None: as the network has them
  block?: string
  seq: number
}

/** Foot traces of the blend at a point, of its corners and of the ideal: answered with ``traces``. */
export interface AskTraces {
  type: 'ask_traces'
  point?: [number, number] | null
  block?: string
  seq: number
}

/** Put an edit of ``hello.edits`` on a clip, behind those it has: edit. */
export interface AddEdit {
  type: 'add_edit'
  clip: string
  name: string
  parameters?: { [key: string]: number | boolean | string }
  seq: number
}

/** Other parameters for an edit of a clip: edit. Changes of one drag make one step of undo. */
export interface ChangeEdit {
  type: 'change_edit'
  clip: string
  index: number
  parameters: { [key: string]: number | boolean | string }
  drag?: number
  seq: number
}

/** Take an edit off again: edit. */
export interface RemoveEdit {
  type: 'remove_edit'
  clip: string
  index: number
  seq: number
}

/** A line, or a script of several, for the console: answered with ``console``. */
export interface Console {
  type: 'console'
  text: string
  seq: number
}

/** Ask for the files of an export to a destination: answered with ``export_plan``. */
export interface AskExport {
  type: 'ask_export'
  destination: string
  what?: 'blend' | 'nodes' | 'recording'
  format?: string
  names?: string
  travel?: 'hips' | 'place' | 'root' | null
  onto?: string
  seq: number
}

/** Write files for a destination: answered with ``written``. */
export interface Export {
  type: 'export'
  destination: string
  what?: 'blend' | 'nodes' | 'recording'
  format?: string
  names?: string
  travel?: 'hips' | 'place' | 'root' | null
  onto?: string
  loop?: boolean
  frame_rate?: number
  seconds?: number // of a recording that was not made
  unit?: 'cm' | 'dm' | 'ft' | 'inch' | 'm' | 'mm' | null
  character?: number
  path?: string // relative to the opened folder; empty: the project's name
  seq: number
}

/** Begin or end a recording of what the first character does: answered with ``recording``. */
export interface Record {
  type: 'record'
  recording: boolean
  seq: number
}

/** Answered with ``ack`` at once. */
export interface Ping {
  type: 'ping'
  seq: number
}

/** Send the blending point somewhere; outside it stays on the outline. The next pose answers it. */
export interface SetPoint {
  type: 'point'
  at: [number, number]
  character?: number
  seq: number
}

/**
 * Keys, a stick or a thumb: the point moves by these rates until told otherwise.
 *
 * ``turn`` and ``speed`` run from −1 to 1. With ``hold`` a released stick lets the point go back where it was.
 */
export interface Steer {
  type: 'steer'
  turn?: number
  speed?: number
  character?: number
  seq: number
}

/** Play or pause, at a rate. */
export interface Play {
  type: 'play'
  playing: boolean
  rate?: number
  seq: number
}

/** Pause, and go some frames on or back; back as far as the recent past is kept. */
export interface StepFrame {
  type: 'step'
  frames: number
  seq: number
}

/** Pause, and show the blend at this cycle phase, in place. */
export interface Scrub {
  type: 'scrub'
  phase: number
  character?: number
  seq: number
}

/**
 * Show the capture of a node as it was read, in phase beside the first character; an empty name ends it.
 *
 * Answered with ``compared``. The closed cycle stands in where no capture of the node is at hand.
 */
export interface Compare {
  type: 'compare'
  node?: string
  beside?: boolean // False: in the same place
  block?: string
  seq: number
}

/** Show poses before and after the present one: 0 to 8 of each; 0 ends it. */
export interface Onion {
  type: 'onion'
  ghosts: number
  spacing?: number // seconds
  seq: number
}

/** Put a character back to the start. */
export interface Reset {
  type: 'reset'
  character?: number
  seq: number
}

/** How feet are locked: feet drive the body, one foot is anchored, or the blended velocity alone: edit. */
export interface Feet {
  type: 'feet'
  feet: 'anchored' | 'held' | 'velocity'
  seq: number
}

/** One more character: edit. */
export interface AddCharacter {
  type: 'add_character'
  at?: [number, number] // metres on the ground (x, z)
  heading?: number // degrees
  seq: number
}

/** One character less: edit. */
export interface RemoveCharacter {
  type: 'remove_character'
  character: number
  seq: number
}

/** A path for the character, drawn on the ground; an empty one ends it: edit. */
export interface Follow {
  type: 'follow'
  path: [number, number, number][] // x, z, m/s
  character?: number
  seq: number
}

/** Take an arc. */
export interface Trigger {
  type: 'trigger'
  arc: string
  times?: number
  character?: number
  seq: number
}

/** Switch to an operating mode. */
export interface SetMode {
  type: 'mode'
  mode: string
  character?: number
  seq: number
}

/** Press a key of the hybrid network: a mode or an arc. */
export interface Press {
  type: 'press'
  key: string
  character?: number
  seq: number
}

/** The weight of an arc's node from which on it is taken: edit. */
export interface SetZone {
  type: 'set_zone'
  arc: string
  zone: number
  seq: number
}

/** Find the change in a clip of the project and join blocks by it: edit. A plain network becomes a block first. */
export interface FindTransition {
  type: 'find_transition'
  clip: string
  source?: string // block it begins in; empty: found by likeness
  target?: string // block it ends in; empty: found by likeness
  name?: string
  key?: string
  seq: number
}

/** Take an arc out: edit. */
export interface RemoveArc {
  type: 'remove_arc'
  arc: string
  seq: number
}

/** Poses, seams and decisions of an arc: answered with ``arc``. */
export interface AskArc {
  type: 'ask_arc'
  arc: string
  seq: number
}

/** Stretches of the library that fit a query: answered with ``library``. */
export interface AskLibrary {
  type: 'ask_library'
  query?: string // as ``mocapella library find`` takes it; empty: all
  like?: string // a clip of the project that they are to resemble
  most?: number
  seq: number
}

/** A stretch of the library to look at: answered with ``preview``. */
export interface AskPreview {
  type: 'ask_preview'
  path: string
  start?: number
  frames?: number
  seq: number
}

/** Take captures of the library into the project, and build: edit. */
export interface TakeFromLibrary {
  type: 'take_from_library'
  paths: string[]
  seq: number
}

/** Search results of a library. */
export interface LibraryRows {
  type: 'library'
  folder: string // name of the library, for people; empty: there is none
  captures: number // in the whole library
  rows: LibraryRow[]
}

/** A stretch of a capture. */
export interface LibraryRow {
  name: string
  path: string
  start: number
  frames: number
  seconds: number
  kind: string // walk, run, turn, stand, change or other
  speed: number // m/s
  turn: number // degrees per second
  slope: number // degrees
  step: number // metres
  words: string[]
  score: number | null // distance from an example, in leg lengths
}

/** A stretch as small skeletons, even in time. */
export interface Preview {
  type: 'preview'
  path: string
  start: number
  seconds: number
  joints: string[]
  parents: number[]
  end_parents: number[]
  roles: { [key: string]: string }
  height: number
  way: [number, number][] // of the root over the ground, x and z, metres, from its first place
  poses: string // int16 (poses, points, 3), millimetres
}

/** A command was done. */
export interface Ack {
  type: 'ack'
  seq: number
  python: string // its line of API, where it has one
  revision: number // of the project, after it
}

/** A command was not done, or, with ``kept``, only as far as was sound. */
export interface Refused {
  type: 'refused'
  seq: number // 0 where the message had none that could be read
  message: string
  expected: string
  got: string
  helps: string
  kept: [number, number] | null // where a node came to stand instead
}

/** Something worth knowing that no command asked for. */
export interface Notice {
  type: 'notice'
  level: 'doubt' | 'error' | 'info'
  text: string
  about: string // clip, node or file
}

/** Sent once, first. */
export interface Hello {
  type: 'hello'
  version: string
  folder: string // name of the opened folder, for people
  recent: string[] // projects that were begun without a folder, the latest first
  rate: number // poses per second
  rules: string[]
  closings: string[]
  units: string[]
  roles: string[]
  suffixes: string[] // that can be dropped
  upload_limit: number // bytes
  destinations: Destination[]
  library: string // name of the library of captures; empty: there is none
  formats: FormatRow[]
  namings: string[] // of joints in files
  edits: EditKind[]
  commands: string[] // of the console
  frame: { [key: string]: number } // names of the floats of a pose frame → where they stand; see ``frames``
}

/** A program that files can be written for. */
export interface Destination {
  name: string // for commands
  title: string
  about: string
  formats: string[]
  what: string[] // of "blend", "nodes", "recording"
  names: string // of ``hello.namings``, by which it knows joints
  travel: string // the bone that travels there
  grid: boolean // whether "nodes" are a folder with loops between them, whose names and root bone are fixed
}

/** A format that motions are written in. */
export interface FormatRow {
  name: string // the suffix without its dot
  travels: string[] // of "hips", "root", "place"
  names: boolean // whether joints can be named otherwise
  unit: boolean // whether its length unit can be chosen
  loop: boolean // whether it says that a motion repeats
  onto: boolean // whether a motion can be written onto a character
}

/** An edit that can be put on a clip. */
export interface EditKind {
  name: string
  title: string
  about: string
  parameters: EditParameter[]
}

/** One parameter of an edit: a number with its range, a switch, or a choice. */
export interface EditParameter {
  name: string
  kind: 'choice' | 'clip' | 'number' | 'switch' | 'text' // of a clip, the path of its file
  default: number | boolean | string
  least: number
  most: number
  unit: string
  choices: string[]
  about: string
  required: boolean // the user has to set it: there is no default
}

/** Joints, rest pose and skinned surface; poses refer to it by ``id``. */
export interface Body {
  type: 'body'
  id: number
  joints: string[]
  parents: number[] // −1 for the root; parents before children
  offsets: [number, number, number][] // of each joint from its parent in the rest pose; the root's is its place
  end_parents: number[] // joints that limbs end at
  end_offsets: [number, number, number][]
  sides: number[] // of joints: 0 middle, 1 left, 2 right
  roles: { [key: string]: number } // role → joint
  height: number
  n_vertices: number
  vertices: string // float32 (vertices, 3), rest pose, metres
  normals: string // float32 (vertices, 3)
  faces: string // uint32 (faces, 3), anticlockwise from outside
  skin_joints: string // uint16 (vertices, 4)
  skin_weights: string // float32 (vertices, 4)
}

/** The network that is played, whenever it has changed. */
export interface NetworkView {
  type: 'network'
  revision: number
  body: number // id of the skeleton
  hybrid: boolean
  blocks: Block[]
  arcs: ArcRow[]
  modes: ModeRow[]
  rule: string
  harmonics: number // in use
  most_harmonics: number
  single_source: number | null // first single-source harmonic
  axes: [string, string] // what x and y are
  units: [string, string]
  dofs: string[]
}

/** A network in the plane; the whole network is one block with an empty name where it is not hybrid. */
export interface Block {
  name: string
  nodes: NodeView[]
  triangles: number[][] // numbers of nodes; in twos along a line, one alone
  outline: number[][]
  buffers: number[][]
}

/** A node of a network. */
export interface NodeView {
  name: string
  at: [number, number]
  period: number
  speed: number
  turn: number // degrees per second
  plants: { [key: string]: [number, number][] }
  clip: string // of the project, that it came from
  source: string // in words: a file, "mirrored", "blended"
  transition: boolean // the way into a change
  synchronised: boolean
  offset: number // degrees, by hand
}

/** An arc of a hybrid network. */
export interface ArcRow {
  name: string
  source: [string, string] // block, node
  target: [string, string]
  zone: number
  seconds: number
  key: string
  mirrored: boolean
}

/** An operating mode. */
export interface ModeRow {
  name: string
  key: string
  arcs: string[]
  triangles: { [key: string]: number[][] } // block → numbers of nodes
}

/** Small skeletons: every node of a block at even cycle phases, seen from under the root, facing +z. */
export interface NodePoses {
  type: 'node_poses'
  revision: number
  block: string
  nodes: string[]
  phases: number // poses per node, even over the cycle
  n_points: number // joints, then ends
  poses: string // int16 (nodes, phases, points, 3), millimetres
}

/** The project, after every change. */
export interface ProjectState {
  type: 'project'
  revision: number
  name: string
  path: string // relative, where it was saved; empty before
  saved: boolean // whether all edits are in that file
  source: 'actor' | 'clips' | 'file'
  undo: string // what undo would take back, in words; empty: nothing
  redo: string
  clips: ClipRow[]
  characters: CharacterRow[]
  edits: EditRow[]
  feet: string
  python: string // the line of the last edit
}

/** A clip in the list. */
export interface ClipRow {
  name: string
  path: string
  state: 'reading' | 'ready' | 'refused' | 'waiting'
  seconds: number
  frames: number
  frame_rate: number
  node: string // that it became
  mirrored: boolean
  doubts: number
  corrected: boolean // by hand in any way
  message: string // why it was refused or left out
  edits: number
}

/** A character on the stage. */
export interface CharacterRow {
  at: [number, number]
  heading: number
  path: [number, number, number][] // x, z, m/s; empty: steered by hand
}

/** An edit on a clip. */
export interface EditRow {
  clip: string
  index: number
  name: string
  parameters: { [key: string]: number | boolean | string }
}

/** How far a job is; the character walks on meanwhile. */
export interface Progress {
  type: 'progress'
  job: number
  title: string
  stage: 'cancelled' | 'cut' | 'done' | 'export' | 'failed' | 'map' | 'place' | 'read' | 'step'
  about: string // the file or node it is at
  done: number
  total: number
}

/** The result of an import. */
export interface ImportReport {
  type: 'import_report'
  job: number
  read: string[] // names of clips
  refused: Refusal[]
  left_out: string[] // sentences: takes of nearly the same, other skeletons
  notes: string[]
}

/** A file that was not read. */
export interface Refusal {
  path: string
  message: string
  line: number
  expected: string
  got: string
  lines: [number, string][] // of the file round that place
  remedies: Remedy[]
}

/** Something that helps. */
export interface Remedy {
  title: string
  text: string
  command: unknown // that does it, without a sequence number; null: not here
}

/** The contents of a folder. */
export interface Folder {
  type: 'folder'
  path: string
  files: FileRow[]
}

/** A file or folder. */
export interface FileRow {
  path: string // relative to the opened folder
  kind: 'folder' | 'motion' | 'network' | 'other' | 'project'
  bytes: number
}

/** Files that were written; ``GET /files/PATH`` fetches one. */
export interface Written {
  type: 'written'
  files: FileRow[]
  place: string // their folder on the server's disk
  python: string
}

/** The files an export would write. */
export interface ExportPlan {
  type: 'export_plan'
  destination: string
  files: [string, string][] // name, what is in it
  joints: [string, string][] // role, joint as it is written
  notes: string[]
  place: string // the folder they would be in, for people
  python: string
}

/** The motion that is shown beside the first character. */
export interface Compared {
  type: 'compared'
  node: string // empty: nothing
  kind: '' | 'capture' | 'cycle'
  text: string // of which file and rows, or why it is no capture
}

/** The state of a recording. */
export interface Recording {
  type: 'recording'
  recording: boolean
  seconds: number
  slip_mm_max: number | null // once it has ended
}

/** The project as a Python script that runs. */
export interface ScriptText {
  type: 'script'
  text: string
}

/** Output of the console. */
export interface ConsoleText {
  type: 'console'
  lines: string[]
  failed: boolean
}

/** All that the clip panel shows. */
export interface ClipDetails {
  type: 'clip'
  name: string
  path: string
  format: string
  frames: number
  first_row: number // the file's row of the first captured frame
  frame_rate: number
  seconds: number
  n_joints: number
  joints: string[]
  parents: number[]
  end_parents: number[]
  unit: string
  metres_per_unit: number
  up_axis: string
  facing: number
  height: number
  noise: string // in words, and what averaging leaves of it
  rest_frames: number
  findings: FindingRow[]
  roles: { [key: string]: string }
  missing_roles: string[]
  plants: { [key: string]: [number, number][] }
  plants_found: { [key: string]: [number, number][] } // the automatic ones, where those in use are by hand; the same otherwise
  heights: { [key: string]: number[] } // foot point → centimetres, every ``height_step`` frames
  height_step: number
  speed: number[] // m/s, every ``height_step`` frames
  candidates: Candidate[]
  taken: Candidate | null // None where the clip gives no cycle
  automatic: [number, number] | null // start and frames of the automatic choice
  method: string
  mirrored: boolean
  turning: boolean | null
  closing: Closing[]
  decisions: [string, string][]
  node: string
  at: [number, number] | null
  pose_frames: number[] // rows of ``poses``
  poses: string // int16 (poses, points, 3), millimetres, from under the root, facing +z; joints, then ends
  python: string
  message: string // why there is no cycle
}

/** Something to know about a clip. */
export interface FindingRow {
  code: string
  message: string
  doubtful: boolean
  frames: number[]
}

/** A cycle that could be taken. */
export interface Candidate {
  start: number
  frames: number
  seconds: number
  speed: number
  turn: number
  closing_cm: number
  unlikeness: number
  steps: number
}

/** One joint before and after the cycle was closed. */
export interface Closing {
  joint: string
  before: number[] // degrees of flexion, frames + 1 of the cut
  after: number[]
}

/** Two motions and their half-way blend, and how well they agree by offset. */
export interface SyncStrip {
  type: 'sync'
  first: string
  second: string
  block: string
  frames: [number, number] // of a cycle at 60 a second
  seconds: [number, number]
  agreement: number[] // −1 … 1, at even offsets over a cycle, from 0
  best: number // degrees of the automatic choice, beside the present one
  offset: number // degrees by hand, as in the project
  tried: number // degrees, as asked
  n_points: number
  phases: number
  a: string // int16 (phases, points, 3), millimetres
  b: string
  half: string
  plants: [
    { [key: string]: [number, number][] },
    { [key: string]: [number, number][] },
    { [key: string]: [number, number][] },
  ]
  decision: string
}

/** Curves and spectra of one dof. */
export interface Spectra {
  type: 'spectra'
  dof: string
  unit: string
  block: string
  harmonics: number
  motions: SpectrumView[]
}

/** One dof of one motion. */
export interface SpectrumView {
  name: string
  period: number
  curve: number[] // over a cycle at even phases, in ``unit``
  magnitudes: number[] // from harmonic 0 on
  phases: number[] // degrees
  source: number[] // for every harmonic the node it comes from, −1: blended
}

/** Foot traces at a point. */
export interface Traces {
  type: 'traces'
  block: string
  point: [number, number]
  distortion: number | null // radians
  feet: FootTraceView[]
}

/** The trace of one foot, seen from above, on the spot. */
export interface FootTraceView {
  foot: string
  blend: [number, number][] // millimetres
  reference: [number, number][]
  inputs: [number, number][][]
  names: string[]
}

/** A layer over a block. */
export interface Map {
  type: 'map'
  layer: 'distortion' | 'slip'
  block: string
  revision: number // of the network it belongs to
  columns: number
  rows: number
  low: [number, number]
  high: [number, number]
  values: (number | null)[] // rows going up, None outside
  unit: string
  mean: number
  most: number
  worst: [number, number]
  why: string
  remedies: Remedy[]
}

/** One arc. */
export interface ArcDetails {
  type: 'arc'
  name: string
  seconds: number
  leave: number
  arrive: number
  frames: number
  zone: number
  mirrored: boolean
  seams: { [key: string]: number }
  decisions: [string, string][]
  pose_frames: number[]
  n_points: number
  poses: string // int16 (poses, points, 3), millimetres
  meets: [SeamView, SeamView] // where it is left for, and where it is arrived from
  python: string
}

/** Both poses where a network and a captured change meet, laid over each other on the ground. */
export interface SeamView {
  block: string
  node: string
  frame: number // of the clip
  mean_mm: number // distance of joints
  most_mm: number
  most_joint: string
  angle: number // degrees: the joint turned most
  angle_joint: string
  velocity: number // degrees per second: the largest change of a joint's velocity
  roots: [number, number, number][] // of the network's pose, then of the change's, metres
  rotations: string // float32 (2, joints, 4)
}

/** The log of the first character of this connection; sent after every change of state. */
export interface StateLog {
  type: 'states'
  entries: [number, string, string][] // from when on in its own time, state, arc
  block: string
  mode: string
}

export type Command =
  | Open
  | ImportFiles
  | Cancel
  | Files
  | Undo
  | Redo
  | Save
  | Rename
  | Script
  | Correct
  | ChooseCycle
  | ChooseTurning
  | Mirror
  | ChooseClosing
  | SetPlants
  | SetOffset
  | RemoveClip
  | AskClip
  | AskSync
  | MoveNode
  | RenameNode
  | AddNode
  | RemoveNode
  | AddTriangle
  | RemoveTriangle
  | FlipEdge
  | SetRule
  | SetHarmonics
  | SetSingleSource
  | AskMap
  | AskSpectra
  | AskTraces
  | AddEdit
  | ChangeEdit
  | RemoveEdit
  | Console
  | AskExport
  | Export
  | Record
  | Ping
  | SetPoint
  | Steer
  | Play
  | StepFrame
  | Scrub
  | Compare
  | Onion
  | Reset
  | Feet
  | AddCharacter
  | RemoveCharacter
  | Follow
  | Trigger
  | SetMode
  | Press
  | SetZone
  | FindTransition
  | RemoveArc
  | AskArc
  | AskLibrary
  | AskPreview
  | TakeFromLibrary

export type Answer =
  | LibraryRows
  | Preview
  | Ack
  | Refused
  | Notice
  | Hello
  | Body
  | NetworkView
  | NodePoses
  | ProjectState
  | Progress
  | ImportReport
  | Folder
  | Written
  | ExportPlan
  | Compared
  | Recording
  | ScriptText
  | ConsoleText
  | ClipDetails
  | SyncStrip
  | Spectra
  | Traces
  | Map
  | ArcDetails
  | StateLog

/**
 * Pose frames: the binary message of what is on the stage at one instant.
 *
 * Everything is little-endian. A frame is a header of four uint32, then one record of float32 per figure, then the local
 * rotations of its joints:
 *
 *     uint32   KIND          1
 *     uint32   acknowledged  sequence number of the last command of this connection that the poses take into account,
 *                            modulo 2**32
 *     uint32   frame         counts the frames of this connection; a gap means that stale ones were left out
 *     uint32   figures       how many follow
 *
 *     per figure:
 *     float32  FIELDS        one number for each name of ``FIELDS``, in that order
 *     float32  root          x, y, z of the root, metres, from (origin_x, 0, origin_z)
 *     float32  rotations     w, x, y, z per joint: local, unit, in the order of ``body.joints``
 *
 * The number of joints is that of the ``body`` message with the id of field ``body``. World positions follow by forward
 * kinematics alone: a joint lies at its parent's place plus its ``offset``, turned by the parent's world rotation. The
 * origin is a whole multiple of 16 m, exact in float32, so that joints keep their precision far from where it began.
 */
export const FRAME = {
  figure: 0,
  number: 1,
  body: 2,
  time: 3,
  phase: 4,
  period: 5,
  point_x: 6,
  point_y: 7,
  goal_x: 8,
  goal_y: 9,
  asked_speed: 10,
  asked_turn: 11,
  speed: 12,
  turn: 13,
  slip: 14,
  slip_mean: 15,
  planted: 16,
  state: 17,
  block: 18,
  mode: 19,
  arc: 20,
  progress: 21,
  inside: 22,
  triangle: 23,
  node_a: 24,
  node_b: 25,
  node_c: 26,
  node_d: 27,
  weight_a: 28,
  weight_b: 29,
  weight_c: 30,
  weight_d: 31,
  heading: 32,
  anchor_0_x: 33,
  anchor_0_z: 34,
  anchor_1_x: 35,
  anchor_1_z: 36,
  anchor_2_x: 37,
  anchor_2_z: 38,
  anchor_3_x: 39,
  anchor_3_z: 40,
  path_left: 41,
  origin_x: 42,
  origin_z: 43,
} as const

export const FRAME_KIND = 1
export const FRAME_FIELDS = 44
