/** Hands on a picture: one drag at a time, cancelled by Escape, told in the picture's own pixels. */

export interface Drag {
  move: (x: number, y: number, event: PointerEvent) => void
  /** `kept` is false where the drag was cancelled. */
  end: (kept: boolean) => void
}

/** Follow the pointer that went down on an element of `picture` until it is let go. */
export function startDrag(event: PointerEvent, picture: SVGSVGElement, drag: Drag): void {
  if (event.button !== 0) return
  event.preventDefault()
  event.stopPropagation()
  const target = event.currentTarget as Element
  target.setPointerCapture(event.pointerId)
  const place = (e: PointerEvent): [number, number] => {
    const box = picture.getBoundingClientRect()
    return [e.clientX - box.left, e.clientY - box.top]
  }
  const move = (e: Event) => drag.move(...place(e as PointerEvent), e as PointerEvent)
  const over = (kept: boolean) => {
    target.removeEventListener('pointermove', move)
    target.removeEventListener('pointerup', up)
    target.removeEventListener('pointercancel', cancel)
    removeEventListener('keydown', key, true)
    drag.end(kept)
  }
  const up = () => over(true),
    cancel = () => over(false)
  const key = (e: KeyboardEvent) => {
    if (e.key === 'Escape') {
      e.preventDefault()
      e.stopPropagation()
      over(false)
    }
  }
  target.addEventListener('pointermove', move)
  target.addEventListener('pointerup', up)
  target.addEventListener('pointercancel', cancel)
  addEventListener('keydown', key, true)
}
