// Pages without a server, opened from disk in Debian's chromium. Run by test_pages_opened.py:
//   node pages.mjs FOLDER   with CHROMIUM in the environment; FOLDER has clip.html, network.html, hybrid.html, hybrid-steered.html,
// judge.html, notebook.html, steered.html, blocks.html and crowd.html. Writes FOLDER/seen.json: what was seen and said in each of them.
import fs from 'node:fs'
import path from 'node:path'
import { KEPT, PATIENCE, boxOf, drawLittle, listenTo, openBrowser } from './person.mjs'

const folder = process.argv[2], screens = path.join(folder, 'screens')
fs.mkdirSync(screens, { recursive: true })
const browser = await openBrowser()
const seen = {}

async function open(name, { width = 1280, height = 720, theme = 'dark', smooth = false } = {}, look) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme, hasTouch: width < 500 }), said = []
  listenTo(page, said)
  page.setDefaultTimeout(PATIENCE)
  if (!smooth && !KEPT) await drawLittle(page)
  page.on('request', (r) => { if (!/^(file|data|blob|about):/.test(r.url())) said.push(`asked for ${r.url()}`) })
  try {
    await page.goto(`file://${path.join(folder, name)}.html`)
    seen[name] = await look(page)
    await page.screenshot({ path: path.join(screens, `${name}-${width}-${theme}.png`) })
  } catch (error) { seen[name] = { failed: String(error.stack ?? error) } }
  seen[name].said = said
  await page.close()
}

const ready = (page) => page.waitForFunction(() => window.mocapella?.joints)

await open('clip', { theme: 'light', smooth: true }, async (page) => {
  await ready(page)
  const joints = {}
  for (const frame of [0, 7, 40]) {
    await page.evaluate((at) => window.mocapella.seek(at), frame / 60)
    joints[frame] = await page.evaluate(() => window.mocapella.joints())
  }
  await page.keyboard.press('.') // a frame on
  const text = await page.locator('.transport-time').innerText()
  await page.keyboard.press('k')
  const skeleton = await page.locator('[aria-label="Skeleton (K)"]').getAttribute('aria-pressed')
  await page.keyboard.press('v')
  return { joints, text, skeleton, title: await page.title() }
})

await open('network', {}, async (page) => {
  await ready(page)
  const joints = await page.evaluate(() => {
    const { mocapella: m } = window, out = []
    m.play(false)
    m.walker.grid.block.at.forEach(([x, y], loop) => {
      m.point(x, y, true)
      for (const sample of [0, 11, 40]) {
        m.walker.x = m.walker.z = m.walker.yaw = 0
        m.seek(sample / m.walker.grid.samples)
        out.push({ loop, sample, joints: m.joints() })
      }
    })
    return out
  })
  // One whole cycle of a loop, stepped from sample to sample: its root ends where its steps lead.
  const way = await page.evaluate(() => {
    const { walker, point } = window.mocapella, [x, y] = walker.grid.block.at[2]
    point(x, y, true)
    Object.assign(walker, { phase: 0, x: 0, z: 0, yaw: 0 })
    for (let i = 0; i < walker.grid.samples; i++) walker.advance(walker.period / walker.grid.samples)
    return [walker.x, walker.z, walker.yaw, walker.phase]
  })
  // The same in uneven steps, as pictures come.
  const uneven = await page.evaluate(() => {
    const { walker } = window.mocapella, period = walker.period
    Object.assign(walker, { phase: 0, x: 0, z: 0, yaw: 0 })
    let left = period
    for (let i = 0; left > 0; i++) { const dt = Math.min(left, 0.011 + 0.007 * (i % 4)); walker.advance(dt); left -= dt }
    return [walker.x, walker.z, walker.yaw]
  })
  await page.evaluate(() => window.mocapella.play(true))
  const map = await boxOf(page.locator('.network-map'))
  await page.mouse.move(map.x + 0.5 * map.width, map.y + 0.5 * map.height)
  await page.mouse.down()
  await page.mouse.move(map.x + 0.3 * map.width, map.y + 0.4 * map.height, { steps: 4 })
  await page.mouse.up()
  const before = await page.evaluate(() => window.mocapella.walker.yaw)
  await page.waitForFunction((yaw) => window.mocapella.walker.yaw - yaw > 0.02, before).catch(() => undefined)
  const turned = await page.evaluate((yaw) => window.mocapella.walker.yaw - yaw, before)
  const goal = await page.evaluate(() => window.mocapella.walker.goal), outside = await page.evaluate(() => { window.mocapella.point(999, 99); return window.mocapella.walker.goal })
  await page.keyboard.press('ArrowDown')
  const after = await page.evaluate(() => window.mocapella.walker.goal)
  return { joints, way, uneven, turned, goal, outside, after }
})

const steered = async (page) => {
  await ready(page)
  const joints = await page.evaluate(() => {
    const { mocapella: m } = window, nodes = m.runner.block.plan.at, out = []
    m.play(false)
    m.begin(...nodes[0])
    for (let frame = 0; frame < 120; frame++) {
      if (frame === 30) m.point(...nodes.at(-1))
      m.step(1 / 60)
      out.push(m.joints())
    }
    return out
  })
  await page.evaluate(() => window.mocapella.play(true))
  return joints
}

await open('steered', {}, async (page) => {
  const joints = await steered(page), map = await boxOf(page.locator('.network-map')), goal = () => page.evaluate(() => window.mocapella.runner.goal)
  await page.mouse.move(map.x + 0.5 * map.width, map.y + 0.5 * map.height)
  await page.mouse.down()
  await page.mouse.move(map.x + 0.3 * map.width, map.y + 0.4 * map.height, { steps: 4 })
  await page.mouse.up()
  const dragged = await goal(), before = await page.evaluate(() => window.mocapella.runner.now.heading)
  await page.waitForFunction((heading) => window.mocapella.runner.now.heading - heading > 0.02, before).catch(() => undefined)
  const turned = await page.evaluate((heading) => window.mocapella.runner.now.heading - heading, before)
  const outside = await page.evaluate(() => { window.mocapella.point(999, 99); return window.mocapella.runner.goal })
  await page.keyboard.down('ArrowDown')
  await page.waitForFunction(([, y]) => window.mocapella.runner.goal[1] < y, outside)
  await page.keyboard.up('ArrowDown')
  return { joints, dragged, turned, outside, after: await goal(), planted: await page.locator('.plant').count() }
})

await open('crowd', {}, async (page) => {
  await page.waitForFunction(() => window.mocapella?.many)
  const walks = (seconds) => page.evaluate((s) => { const { many, step } = window.mocapella; for (let i = 0; i < 60 * s; i++) many.advance(1 / 60); step(1 / 60); return many.now() }, seconds)
  await page.evaluate(() => window.mocapella.play(false))
  const started = await page.evaluate(() => window.mocapella.many.walking.starts), rings = await walks(10)
  const roots = await page.evaluate(() => { const { matrices, count } = window.mocapella.many, each = matrices.length / count; return Array.from({ length: count }, (_, i) => [matrices[each * i + 3], matrices[each * i + 11]]) })
  // What avoidance asks, of places and speeds that Python knows too.
  const pushed = await page.evaluate(() => {
    const own = new window.mocapella.many.walking.constructor(40, Math.random), now = Array.from({ length: 40 }, (_, i) => ({ x: (i * 0.731) % 5, z: (i * 1.417) % 7, heading: 0 }))
    now.forEach((one, i) => { own.speeds[2 * i] = Math.sin(3 * i); own.speeds[2 * i + 1] = Math.cos(5 * i) })
    return Array.from(own.forces(now))
  })
  await page.locator('.tab', { hasText: 'Wander' }).click()
  const wandered = await walks(10)
  const stage = await boxOf(page.locator('.stage canvas'))
  await page.mouse.click(stage.x + 0.8 * stage.width, stage.y + 0.35 * stage.height)
  const place = await page.evaluate(() => window.mocapella.many.walking.place), way = await page.evaluate(() => window.mocapella.many.way), gathered = await walks(25)
  await page.locator('[aria-label="Characters"] >> nth=0').focus()
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight')
  const count = await page.evaluate(() => window.mocapella.many.count), shown = await page.locator('.readout-value').first().innerText()
  await page.keyboard.press('k')
  return { started, rings, roots, pushed, wandered, place, way, gathered, count, shown }
})

await open('blocks', { width: 400, height: 800, theme: 'light' }, async (page) => {
  await ready(page)
  const finger = await page.context().newCDPSession(page), map = await boxOf(page.locator('.network-map'))
  await page.waitForTimeout(300)
  await page.evaluate(() => window.mocapella.play(false))
  const before = await page.evaluate(() => ({ ...window.mocapella.runner.now, block: window.mocapella.runner.block.name }))
  await page.locator('.tab', { hasText: 'run' }).click()
  const after = await page.evaluate(() => ({ ...window.mocapella.runner.now, block: window.mocapella.runner.block.name }))
  const touch = (type, x, y) => finger.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] })
  const first = await page.evaluate(() => window.mocapella.runner.goal)
  await touch('touchStart', map.x + 0.5 * map.width, map.y + 0.5 * map.height)
  await touch('touchMove', map.x + 0.5 * map.width, map.y + 0.2 * map.height)
  await touch('touchEnd')
  await page.evaluate(() => window.mocapella.play(true))
  await page.waitForTimeout(500)
  return { before, after, first, touched: await page.evaluate(() => window.mocapella.runner.goal) }
})

// A hybrid network: its captured change is waited for, played as the engine played it, and loops or the engine go on after it.
async function takeChange(page) {
  await ready(page)
  await page.evaluate(() => window.mocapella.play(false))
  await page.locator('.page-change').first().click()
  await page.evaluate(() => window.mocapella.play(false))
  const ran = await page.evaluate(() => {
    const m = window.mocapella, w = m.walker ?? m.runner, dt = 1 / 60, out = { waited: 0, steps: [], ways: [], before: null, middle: null, after: null }
    let last = null
    const step = () => {
      w.step ? w.step(dt) : w.advance(dt)
      const pose = w.pose().pose ?? w.pose()
      if (last) {
        out.steps.push(Math.max(...[...pose.rotations].map((_, k) => (k % 4 ? 0 : 1 - Math.abs([0, 1, 2, 3].reduce((sum, n) => sum + pose.rotations[k + n] * last.rotations[k + n], 0))))))
        out.ways.push(Math.hypot(...[0, 1, 2].map((k) => pose.root[k] - last.root[k])))
      }
      last = { rotations: pose.rotations.slice(), root: [...pose.root] }
    }
    while (!w.playing && out.waited < 600) { step(); out.waited++ }
    out.before = w.now ? { x: w.now.x, z: w.now.z, yaw: w.now.heading, seconds: w.playing.seconds } : { x: w.playing.x, z: w.playing.z, yaw: w.playing.yaw, seconds: 0 }
    while (w.playing) {
      step()
      if (w.playing && w.playing.seconds > 1 && !out.middle) { m.show ? m.show() : m.step(0); out.middle = { seconds: w.playing.seconds, joints: m.joints() } }
    }
    out.after = { x: w.x ?? w.now.x, z: w.z ?? w.now.z, yaw: w.yaw ?? w.now.heading }
    for (let i = 0; i < 60; i++) step()
    return out
  })
  await page.evaluate(() => window.mocapella.play(true))
  return ran
}
await open('hybrid', {}, takeChange)
await open('hybrid-steered', {}, takeChange)

await open('judge', { theme: 'light' }, async (page) => {
  await page.waitForSelector('.judge-button')
  const words = await page.locator('body').innerText()
  await page.locator('[aria-label="Your name"]').fill('Ada, the "first"')
  for (let trial = 0; trial < 2; trial++) {
    await page.locator('.judge-button').nth(trial ? 2 : 0).click()
    await page.locator('.judge-reason', { hasText: 'feet slide' }).click()
    await page.locator('[aria-label="Why, in your own words"]').fill('because')
    if (trial === 0) await page.screenshot({ path: path.join(screens, 'judge-asking.png') })
    await page.getByRole('button', { name: trial ? 'Finish' : 'Next' }).click()
  }
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as CSV' }).click()])
  const file = path.join(folder, 'answers.csv')
  await download.saveAs(file)
  return { words, name: download.suggestedFilename(), csv: fs.readFileSync(file, 'utf8') }
})

await open('notebook', { width: 900, height: 900, theme: 'light' }, async (page) => {
  const frame = page.frames()[1]
  await frame.waitForSelector('.page-chips')
  return { text: await frame.locator('.page-title').innerText(), reaches: await frame.evaluate(() => { try { return Boolean(parent.document) } catch { return false } }) }
})

fs.writeFileSync(path.join(folder, 'seen.json'), JSON.stringify(seen))
await browser.close()
