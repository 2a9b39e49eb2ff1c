"""All commands and all answers: what the server reads, and what the page reads."""

from __future__ import annotations

from mocapella.studio.messages import answers as a
from mocapella.studio.messages import commands as c
from mocapella.studio.messages import details as d
from mocapella.studio.messages import library_messages as lib
from mocapella.studio.messages import steering_commands as s

AnyCommand = (
    c.Open | c.ImportFiles | c.Cancel | c.Files | c.Undo | c.Redo | c.Save | c.Rename | c.Script
    | c.Correct | c.ChooseCycle | c.ChooseTurning | c.Mirror | c.ChooseClosing | c.SetPlants | c.SetOffset
    | c.RemoveClip | c.AskClip | c.AskSync
    | c.MoveNode | c.RenameNode | c.AddNode | c.RemoveNode | c.AddTriangle | c.RemoveTriangle | c.FlipEdge
    | c.SetRule | c.SetHarmonics | c.SetSingleSource | c.AskMap | c.AskSpectra | c.AskTraces
    | s.SetPoint | s.Steer | s.Play | s.StepFrame | s.Scrub | s.Compare | s.Onion | s.Reset | s.Feet | s.AddCharacter
    | s.RemoveCharacter | s.Follow | s.Trigger | s.SetMode | s.Press | s.SetZone | s.FindTransition | s.RemoveArc
    | s.AskArc
    | c.AddEdit | c.ChangeEdit | c.RemoveEdit | c.Console | c.AskExport | c.Export | c.Record | c.Ping
    | lib.AskLibrary | lib.AskPreview | lib.TakeFromLibrary
)  # fmt: skip
AnyAnswer = (
    a.Ack | a.Refused | a.Notice | a.Hello | a.Body | a.NetworkView | a.NodePoses | a.ProjectState | a.Progress
    | a.ImportReport | d.ClipDetails | d.SyncStrip | d.Spectra | d.Traces | d.Map | d.ArcDetails | d.StateLog
    | a.Folder | a.Written | a.ExportPlan | a.Recording | a.Compared | a.ScriptText | a.ConsoleText
    | lib.LibraryRows | lib.Preview
)  # fmt: skip
