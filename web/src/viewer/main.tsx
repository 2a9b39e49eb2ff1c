/** The viewer of self-contained pages: reads what the page embeds and shows it. */
import { render } from 'preact'
import '../styles/tokens.css'
import '../styles/studio.css'
import './viewer.css'
import { Change } from './change'
import { unpackSkeleton, type Content } from './content'
import { CrowdPage } from './crowd'
import { JudgePage } from './judge'
import { LoopsPage } from './loops'
import { Many } from './many'
import { Grid } from './mixer'
import { MotionPage } from './motion'
import { Runner } from './runner'
import { SteeredPage } from './steered'
import { Take } from './take'

const content = JSON.parse(document.getElementById('mocapella-data')!.textContent!) as Content
const root = document.documentElement
root.dataset.theme = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark'
if (content.compact) root.dataset.compact = ''

async function start(): Promise<void> {
  const bodies = await Promise.all(content.skeletons.map(unpackSkeleton)),
    place = document.getElementById('app')!
  if (content.kind === 'steered') {
    render(<SteeredPage title={content.title} runner={await Runner.of(content)} {...bodies[0]} />, place)
    return
  }
  if (content.kind === 'crowd') {
    render(<CrowdPage title={content.title} many={await Many.of(content)} {...bodies[0]} />, place)
    return
  }
  const takes =
    content.kind === 'loops'
      ? []
      : await Promise.all(content.motions.map((m) => Take.of(m, bodies[m.skeleton].skeleton)))
  if (content.kind === 'loops') {
    const grids = await Promise.all(content.blocks.map((block) => Grid.of(block)))
    const changes = await Promise.all((content.changes ?? []).map((change) => Change.of(change)))
    render(
      <LoopsPage
        title={content.title}
        grids={grids}
        changes={changes}
        block={content.block}
        point={content.point}
        {...bodies[0]}
      />,
      place,
    )
  } else if (content.kind === 'motion')
    render(<MotionPage title={content.title} take={takes[0]} {...bodies[content.motions[0].skeleton]} />, place)
  else
    render(<JudgePage content={content} takes={takes} bodies={content.motions.map((m) => bodies[m.skeleton])} />, place)
}

start().catch((error: unknown) => {
  document.getElementById('app')!.textContent = `This page could not be shown: ${String(error)}`
})
