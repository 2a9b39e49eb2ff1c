// What a person does in the panels Hybrid, Signals, Clips and Edits. Run by test_panels.py:
//   node panels.mjs OUT [SCENARIO…]   with PYTHON, CHROMIUM and CLIPS (a folder of BVH files) in the environment.
// Writes OUT/results.json: for every scenario the error, if any, what was said on the console, and figures.
import fs from 'node:fs'
import path from 'node:path'
import { PATIENCE, boxOf, listenTo, openBrowser, openServer, person, waitFor } from './person.mjs'

const [, , out, ...wanted] = process.argv, { PYTHON, CLIPS } = process.env
const screens = path.join(out, 'screens')
fs.rmSync(path.join(out, 'project'), { recursive: true, force: true })
fs.mkdirSync(screens, { recursive: true })
const say = (ok, text) => { if (!ok) throw new Error(text) }
const files = (...names) => names.map((name) => path.join(CLIPS, name))

const hash = (page, id) => page.evaluate((to) => { location.hash = to }, id)
const store = (page, read) => page.evaluate(`(() => { const m = window.mocapella; return ${read} })()`)
const field = (page, name) => page.evaluate((n) => { const m = window.mocapella; return m.hero.value.fields[m.hello.value.frame[n]] }, name)

async function shots(page, name, sizes = [['dark', 1440, 900], ['light', 1280, 720]]) {
  await page.emulateMedia({ reducedMotion: 'reduce' }) // colours change at once
  for (const [theme, width, height] of sizes) {
    await page.setViewportSize({ width, height })
    await page.evaluate((t) => { window.mocapella.theme.value = t }, theme)
    await page.waitForTimeout(500) // two pictures of the stage, which has the colours of the page in the next one
    await page.screenshot({ path: path.join(screens, `${name}-${width}-${theme}.png`) })
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ reducedMotion: 'no-preference' })
}

async function dragBy(page, locator, dx, dy = 0, { double = false, before = async () => undefined } = {}) {
  const box = await boxOf(locator), x = box.x + box.width / 2, y = box.y + box.height / 2
  if (double) { await page.mouse.dblclick(x, y); return }
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + dx, y + dy, { steps: 6 })
  await before()
  await page.mouse.up()
}

const scenarios = {
  async switches_modes_and_takes_a_change({ page, p, figures }) {
    await p.walking()
    await hash(page, 'hybrid')
    await waitFor(() => store(page, 'm.network.value.hybrid'), 'the hybrid network of the actor')
    await page.waitForSelector('[data-arc="walk-twirl-walk"]')
    await page.keyboard.press('3')
    await waitFor(async () => (await field(page, 'mode')) === 2, 'the third mode by its number')
    await page.locator('[data-arc="walk-twirl-walk"] .arc-label').click()
    await page.waitForSelector('.arc-poses')
    say(/walk-twirl-walk/.test(await page.locator('.arc-head').innerText()), 'the arc that was clicked is not shown')
    say((await page.locator('.zone').count()) > 0, 'an open arc has a trigger zone')
    // Its seams: both poses at each end laid over each other, with what they differ by.
    await page.getByRole('button', { name: 'Show seam' }).click()
    await page.locator('.seam-card').nth(1).waitFor()
    figures.seams = await page.evaluate(() => window.mocapella.connection.ask({ type: 'ask_arc', arc: 'walk-twirl-walk' }, 'arc').then((m) => m.meets.map((one) => ({ mean: one.mean_mm, most: one.most_mm, angle: one.angle }))))
    figures.seam_words = await page.locator('.seam-card').allInnerTexts()
    await waitFor(() => page.evaluate(() => [...document.querySelectorAll('.seam-tag')].every((t) => t.style.transform)), 'the joints that differ most to be marked')
    await shots(page, 'seam', [['dark', 1440, 900]])
    await page.keyboard.press('Escape')
    await page.locator('.seam-overlay').waitFor({ state: 'detached' })
    const zone = await store(page, `m.network.value.arcs.find((a) => a.name === 'walk-twirl-walk').zone`)
    await page.getByRole('button', { name: /^Trigger/ }).click()
    await waitFor(async () => (await field(page, 'state')) === 2, 'the change to begin')
    await waitFor(async () => (await field(page, 'state')) === 0, 'the change to end')
    await waitFor(async () => (await page.locator('.state--change').count()) >= 1 && (await page.locator('.seam-mark').count()) >= 2, 'the strip to show the change and where it was joined')
    const box = await boxOf(page.locator('[data-block="walking"] .block-frame')), before = await field(page, 'goal_x')
    await page.mouse.click(box.x + 0.25 * box.width, box.y + 0.4 * box.height)
    await waitFor(async () => (await field(page, 'goal_x')) > before + 2, 'the point to follow a click in its block')
    await page.keyboard.press('1')
    await waitFor(async () => (await field(page, 'mode')) === 0, 'the first mode')
    figures.zone = zone
    await page.keyboard.press('3')
    await page.waitForTimeout(300)
    await shots(page, 'hybrid')
  },

  async sets_harmonics_while_it_plays({ page, p, figures }) {
    await p.walking()
    await hash(page, 'signals')
    await page.waitForSelector('[data-series="blend"]')
    await page.locator('[data-dof="RightUpLeg"]').dblclick()
    await page.locator('[data-dof="RightUpLeg.x"]').click()
    await page.waitForFunction(() => /RightUpLeg, x/.test(document.querySelector('.chart--wide .panel-title').textContent))
    await page.waitForTimeout(600)
    // What is drawn is the array of the dof: heights of the picture against the numbers of the answer.
    const a = await page.locator('.legend-pick select').first().inputValue()
    const curve = await page.evaluate((node) => window.mocapella.connection.ask({ type: 'ask_spectra', dof: 'RightUpLeg.x', sources: [node], point: null, harmonics: window.mocapella.network.value.most_harmonics, block: 'walking' }, 'spectra').then((m) => m.motions[0].curve), a)
    const drawn = (await page.locator('[data-series="a"]').getAttribute('d')).match(/[\d.]+ [\d.]+/g).map((pair) => Number(pair.split(' ')[1]))
    // How long a picture with all curves drawn anew takes: the layout is asked for, so that it is not put off.
    figures.chart_ms = await page.evaluate(() => {
      const curves = [...document.querySelectorAll('.chart--wide .curve')], ways = curves.map((c) => c.getAttribute('d')), began = performance.now(), n = 200
      for (let i = 0; i < n; i++) curves.forEach((c, k) => { c.setAttribute('d', ways[k].replace(/(\d+)\.\d/g, `$1.${i % 10}`)); c.getBBox() })
      const took = (performance.now() - began) / n
      curves.forEach((c, k) => c.setAttribute('d', ways[k]))
      return took
    })
    figures.curve = { given: curve, drawn: drawn.slice(0, curve.length) }
    const most = await store(page, 'm.network.value.most_harmonics'), phases = page.evaluate(() => new Promise((done) => { const seen = [], m = window.mocapella, at = m.hello.value.frame, off = m.connection.onFrame((f) => { const one = f.figures[0].fields; seen.push([one[at.phase], one[at.time], one[at.period]]); if (seen.length > 150) { off(); done(seen) } }) }))
    await page.locator('input[aria-label="Harmonics"]').focus()
    for (let n = most; n > 3; n--) await page.keyboard.press('ArrowLeft')
    await waitFor(async () => (await store(page, 'm.network.value.harmonics')) === 3, 'three harmonics')
    say((await page.locator('[aria-label="Magnitude"] .bar--cut').count()) === Math.min(20, most) - 3, 'what is cut fades')
    figures.phases = await phases
    await page.getByRole('switch', { name: 'Upper harmonics from one node' }).click()
    await waitFor(async () => (await store(page, 'm.network.value.single_source')) !== null, 'single-source harmonics')
    await page.getByRole('switch', { name: 'Upper harmonics from one node' }).click()
    await page.locator('input[aria-label="Harmonics"]').focus()
    for (let n = 3; n < most; n++) await page.keyboard.press('ArrowRight')
    await page.locator('[data-dof="LeftLeg"]').click()
    await page.waitForTimeout(800)
    await shots(page, 'signals')
  },

  async reads_corrects_and_marks_clips({ page, p, figures }) {
    await p.walking()
    await p.drop(files('slow.bvh', 'fast.bvh', 'left.bvh', 'broken.bvh'))
    await waitFor(async () => (await store(page, `m.project.value.clips.filter((c) => c.state === 'ready').length`)) === 3, 'three clips to be read')
    await waitFor(async () => (await store(page, 'm.network.value.blocks[0].nodes.length')) >= 3, 'the network')
    await hash(page, 'clips')
    await page.locator('.clip-row', { hasText: 'left' }).first().click()
    await page.waitForSelector('.candidate-pick')
    const taken = () => page.locator('[data-edge="start"]').getAttribute('aria-valuenow'), frames = async () => [Number(await taken()), Number(await page.locator('[data-edge="end"]').getAttribute('aria-valuenow'))]
    const first = await frames()
    await page.locator('.candidate-pick[aria-pressed="false"]').first().click()
    await waitFor(async () => (await frames()).join() !== first.join(), 'another cycle')
    await page.locator('.chip', { hasText: 'by hand' }).waitFor()
    await page.keyboard.press('Control+z')
    await waitFor(async () => (await frames()).join() === first.join(), 'undo of the cycle')
    await dragBy(page, page.locator('[data-edge="end"] .range-grip'), -8)
    await waitFor(async () => (await frames())[1] < first[1], 'a shorter range')
    await page.getByRole('button', { name: 'Automatic cycle' }).click()
    await waitFor(async () => (await frames()).join() === first.join(), 'the automatic cycle')
    await dragBy(page, page.locator('[data-plant="left_toe 1 1"]'), 14)
    await page.getByRole('button', { name: 'Plants as found' }).click()
    await page.getByRole('button', { name: 'Plants as found' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Mirror' }).click()
    await page.getByRole('button', { name: 'Mirrored' }).click()
    await p.calm()
    await page.locator('.report-row', { hasText: 'Unit' }).getByRole('button', { name: 'Change' }).click()
    await page.locator('select[aria-label="Unit of the file"]').selectOption('inch')
    await page.waitForFunction(() => /^inch/.test(document.querySelector('.report-row dd')?.textContent))
    await page.keyboard.press('Control+z')
    await page.waitForFunction(() => /^cm/.test(document.querySelector('.report-row dd')?.textContent))
    const tall = () => page.locator('.clip-timeline .figure').first().evaluate((g) => g.getBBox().height)
    const stood = await tall()
    await page.locator('.report-row', { hasText: 'Up' }).getByRole('button', { name: 'Change' }).click()
    await page.locator('select[aria-label="Axis that points up in the file"]').selectOption('z')
    await waitFor(async () => (await tall()) < 0.75 * stood, 'a body that lies where another axis points up')
    await page.keyboard.press('Control+z')
    await waitFor(async () => (await tall()) > 0.95 * stood, 'it to stand again')
    await shots(page, 'clips')
    // The 50/50 strip: an offset by hand is stored with the node; a double click returns to the automatic one.
    await page.locator('.sync-handle').waitFor()
    const half = () => page.locator('.sync-half ~ g.figure path').first().getAttribute('d')
    const before = await half()
    await dragBy(page, page.locator('.sync-handle .range-grip'), 40, 0, { before: () => waitFor(async () => (await half()) !== before, 'another blend at the offset tried') })
    await waitFor(async () => Math.abs(await store(page, `m.network.value.blocks[0].nodes.find((n) => n.name === 'left').offset`)) > 5, 'the offset in the project')
    figures.offset = await store(page, `m.network.value.blocks[0].nodes.find((n) => n.name === 'left').offset`)
    await page.getByRole('button', { name: 'Automatic', exact: true }).click()
    await waitFor(async () => Math.abs(await store(page, `m.network.value.blocks[0].nodes.find((n) => n.name === 'left').offset`)) < 0.01, 'the automatic offset')
    await page.locator('.clip-row--refused').click()
    await page.locator('.file-line--bad').waitFor()
    figures.refusal = await page.locator('.refusal-card').innerText()
    await shots(page, 'error')
    await page.getByRole('button', { name: 'Leave out' }).click()
    await waitFor(async () => (await page.locator('.clip-row--refused').count()) === 0, 'the refused file to be left out')
  },

  async puts_edits_on_a_clip_and_takes_them_off({ page, figures }) {
    await hash(page, 'edits')
    await page.locator('.clip-row', { hasText: 'fast' }).first().click()
    const places = () => store(page, `m.network.value.blocks[0].nodes.find((n) => n.clip === 'fast')?.speed`), fast = await places()
    await page.locator('[data-edit="lock_feet"]').click()
    await page.locator('.edit-card').waitFor()
    const edits = () => store(page, 'm.project.value.edits')
    const slider = page.locator('.edit-card input[type="range"]').first(), before = (await edits())[0].parameters
    await slider.focus()
    await page.keyboard.press('ArrowRight')
    await waitFor(async () => JSON.stringify((await edits())[0].parameters) !== JSON.stringify(before), 'another value')
    await shots(page, 'edits')
    await page.locator('.edit-card button[title="Take off"]').click()
    await waitFor(async () => (await edits()).length === 0, 'the edit taken off')
    await page.keyboard.press('Control+z')
    await waitFor(async () => (await edits()).length === 1, 'undo')
    // In the manner of another clip: filled in first, then put on, and the ratio changed by its slider.
    await page.locator('.edit-card button[title="Take off"]').click()
    await waitFor(async () => (await edits()).length === 0 && Math.abs((await places()) - fast) < 1e-6, 'a clip without edits')
    await page.locator('[data-edit="restyle"]').click()
    await page.locator('.edit-card--new select[aria-label="style"]').selectOption({ label: 'slow' })
    await page.locator('.edit-card--new select[aria-label="part"]').selectOption('all')
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await waitFor(async () => (await edits())[0]?.name === 'restyle', 'the manner of the slow walk')
    await waitFor(async () => (await places()) < fast - 0.05, 'shorter steps, as half of the slow walk has them')
    figures.restyled = { before: fast, half: await places() }
    await page.keyboard.press('Control+z')
    await waitFor(async () => Math.abs((await places()) - fast) < 1e-6, 'undo')
  },

  async finds_a_capture_in_the_library({ page, figures }) {
    await hash(page, 'library')
    await page.locator('.library-row').nth(2).waitFor()
    await page.getByRole('group', { name: 'Turn' }).getByText('right').click()
    await waitFor(async () => (await page.locator('.library-row').count()) === 1, 'the one walk that turns right')
    await page.locator('.library-stretch .figure').first().waitFor()
    const big = () => page.locator('.library-stretch .figure path').first().getAttribute('d'), before = await big()
    await waitFor(async () => (await big()) !== before, 'the preview to move')
    figures.query = await page.locator('input[aria-label="What to look for"]').inputValue()
    await shots(page, 'library', [['dark', 1440, 900]])
    const clips = await store(page, 'm.project.value.clips.length')
    await page.getByRole('button', { name: 'Add to the project' }).click()
    await waitFor(async () => (await store(page, 'm.project.value.clips.length')) === clips + 1, 'one clip more')
  },
}

const browser = await openBrowser()
const server = await openServer(PYTHON, path.join(out, 'project')), results = {}
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }), said = []
listenTo(page, said)
page.setDefaultTimeout(PATIENCE)
const p = await person(page, server.address)
for (const [name, run] of Object.entries(scenarios)) {
  if (wanted.length && !wanted.includes(name)) continue
  const figures = {}, began = Date.now()
  said.length = 0
  let error = ''
  try { await run({ page, p, figures }) } catch (e) { error = String(e.stack ?? e); await page.screenshot({ path: path.join(screens, `failed-${name}.png`) }).catch(() => undefined) }
  results[name] = { error, said: [...said], figures, seconds: (Date.now() - began) / 1000 }
}
fs.writeFileSync(path.join(out, 'results.json'), JSON.stringify(results))
await browser.close()
await server.stop()
