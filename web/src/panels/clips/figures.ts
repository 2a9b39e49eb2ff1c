/** A clip's skeleton as far as small pictures need it. */
import type { ClipDetails } from '../../messages'
import type { Skeleton } from '../../stage/figure'

export function skeletonOf(clip: Pick<ClipDetails, 'joints' | 'parents' | 'end_parents' | 'roles'>): Skeleton {
  const roles: { [role: string]: number } = {}
  for (const [role, joint] of Object.entries(clip.roles)) {
    const i = clip.joints.indexOf(joint)
    if (i >= 0) roles[role] = i
  }
  return {
    names: clip.joints,
    parents: clip.parents,
    offsets: new Float32Array(3 * clip.joints.length),
    endJoints: clip.end_parents,
    endOffsets: new Float32Array(3 * clip.end_parents.length),
    roles,
  }
}
