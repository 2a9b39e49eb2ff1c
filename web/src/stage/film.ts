/** Pictures and films of the stage, made in the browser. */
import { signal } from '@preact/signals'
import { project, toast } from '../app/store'
import type { Stage } from './stage'

export const filming = signal(false)
let recorder: MediaRecorder | null = null

export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

const fileName = (suffix: string) => `${(project.value?.name || 'mocapella').replace(/[^\w.-]+/g, '_')}.${suffix}`

export async function savePicture(stage: Stage): Promise<void> {
  stage.draw(0)
  saveBlob(await stage.picture(), fileName('png'))
}

export const filmType = (): string =>
  typeof MediaRecorder === 'undefined'
    ? ''
    : (['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'].find((t) =>
        MediaRecorder.isTypeSupported(t),
      ) ?? '')

/** Begin a film of the stage, or end it and hand it over. */
export function film(stage: Stage): void {
  if (recorder) {
    recorder.stop()
    return
  }
  const type = filmType()
  if (!type) {
    toast('This browser cannot record films. Export a recording instead.', 'doubt')
    return
  }
  const parts: Blob[] = []
  recorder = new MediaRecorder(stage.canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 8e6 })
  recorder.ondataavailable = (e) => {
    if (e.data.size) parts.push(e.data)
  }
  recorder.onstop = () => {
    recorder = null
    filming.value = false
    saveBlob(new Blob(parts, { type }), fileName(type.includes('mp4') ? 'mp4' : 'webm'))
  }
  recorder.start(500)
  filming.value = true
}
