// What a person does in the studio, in Debian's chromium against a real server. Run by test_studio_page.py:
//   node studio.mjs OUT [SCENARIO…]   with PYTHON, CHROMIUM, CAPTURES (folder of BVH files, or empty) in the environment.
// Writes OUT/results.json: for every scenario whether it went well, the error otherwise, and figures.
import fs from 'node:fs'
import path from 'node:path'
import { hardToRead } from './reading.mjs'
import { PATIENCE, boxOf, listenTo, openBrowser, openServer, person, waitFor } from './person.mjs'

const [, , out, ...wanted] = process.argv
const { PYTHON, CAPTURES } = process.env
for (const old of ['folder', 'dropped', 'restarted']) fs.rmSync(path.join(out, old), { recursive: true, force: true })
fs.mkdirSync(path.join(out, 'screens'), { recursive: true })

const say = (ok, text) => { if (!ok) throw new Error(text) }
const near = (a, b, by, text) => say(Math.abs(a - b) <= by, `${text}: ${a} is not within ${by} of ${b}`)
const captures = (names) => names.map((n) => path.join(CAPTURES, n))
const WALKS = ['16_15.bvh', '16_11.bvh', '16_13.bvh', '16_21.bvh']

/** Run in the page: what can be pressed or read, but lies beyond the window or the panel it stands in and cannot be scrolled to. */
const outside = () => [...document.querySelectorAll('main button, main select, main h1, main h2, .app-bar *, main .chip')].filter((e) => {
  const r = e.getBoundingClientRect(), host = e.closest('.panel, .clip-centre, .chart, .app-bar > *')?.getBoundingClientRect()
  return r.width && e.checkVisibility() && (r.right > innerWidth + 1 || (host && r.right > host.right + 1))
}).map((e) => `${e.className.baseVal ?? e.className} "${e.textContent.slice(0, 20)}"`).slice(0, 5)

let server, browser, home // home: a second server, of the folder that captures are dropped into
const scenarios = {
  async opens({ page, figures }) {
    const p = await person(page, server.address, { smooth: true })
    await p.walking()
    figures.first_pose_ms = Math.round(await page.evaluate(() => performance.now()))
    figures.from_start_ms = Date.now() - server.began
    const files = await page.evaluate(() => performance.getEntriesByType('resource').map((r) => [r.name, r.encodedBodySize, r.transferSize]))
    say(files.every(([name]) => name.startsWith(server.origin)), `something is loaded from elsewhere: ${JSON.stringify(files)}`)
    await waitFor(() => page.evaluate(() => window.mocapella.inside.stage.pictures > 3), 'pictures')
    figures.joints = await page.evaluate(() => {
      const { hero, people, inside, connection } = window.mocapella
      const figure = hero.value, person = people.get(figure.fields[2])
      inside.stage.stop()
      connection.onFrame(() => undefined)
      inside.stage.pose('c0', figure)
      inside.stage.draw(0)
      const bones = inside.stage.character('c0').bones.map((b) => b.matrixWorld.elements.slice(12, 15))
      return { root: [...figure.root], rotations: [...figure.rotations], drawn: [...inside.stage.character('c0').positions].slice(0, 3 * bones.length), bones: bones.flat(),
        parents: person.skeleton.parents, offsets: [...person.skeleton.offsets], names: person.skeleton.names }
    })
  },

  async drags_the_point({ page, figures }) {
    const p = await person(page, server.address)
    await p.walking()
    await waitFor(async () => (await p.network()).hybrid, 'the whole actor') // its outline is another than that of the first walks
    const before = await p.hero()
    await p.dragPoint(0.3, 0.45) // left of the middle: a left turn
    await waitFor(async () => (await p.hero()).turn > 3, 'a left turn')
    const left = await p.hero()
    await waitFor(async () => p.turned(left.heading, (await p.hero()).heading) > 0.02, 'a point at the left to turn the character left')
    await waitFor(async () => (await p.wayFrom(before)) > 0.3, 'the root to move')
    await p.dragPoint(0.8, 0.45)
    await waitFor(async () => (await p.hero()).turn < -3, 'a right turn')
    const right = await p.hero()
    await waitFor(async () => p.turned(right.heading, (await p.hero()).heading) < -0.02, 'a point at the right to turn the character right')
    // Outside of the network the point stays on its outline; Escape puts a drag back.
    await p.dragPoint(0.02, 0.02)
    const kept = (await p.settled()).goal, most = Math.max(...(await p.network()).blocks[0].nodes.map((x) => x.at[1]))
    say(kept[1] <= most + 1e-3, `the point left the outline: ${kept}`)
    await p.dragPoint(0.5, 0.7, { escape: true })
    await waitFor(async () => { const g = (await p.hero()).goal; return Math.hypot((g[0] - kept[0]) / 100, g[1] - kept[1]) < 0.05 }, 'the drag taken back')
    figures.slip_mm = (await p.hero()).slip
  },

  async steers_by_keys({ page }) {
    const p = await person(page, server.address)
    await p.walking()
    await p.dragPoint(0.5, 0.6)
    const before = await p.settled()
    await page.locator('.stage canvas').focus()
    await page.keyboard.down('w')
    await waitFor(async () => (await p.hero()).goal[1] > before.goal[1] + 0.05, 'W to go faster')
    await page.keyboard.up('w')
    await page.keyboard.down('ArrowLeft')
    await waitFor(async () => (await p.hero()).goal[0] > before.goal[0] + 2, 'the left arrow to turn left')
    await page.keyboard.up('ArrowLeft')
    const rest = await p.settled() // a key that is up steers no more
    await page.evaluate(() => { // a gamepad whose left stick is pushed to the right
      navigator.getGamepads = () => [{ axes: window.stick ?? [0.9, 0, 0, 0] }]
      window.dispatchEvent(new Event('gamepadconnected'))
    })
    await waitFor(async () => (await p.hero()).goal[0] < rest.goal[0] - 2, 'the stick to turn right')
    await page.evaluate(() => { window.stick = [0, 0, 0, 0] })
    await p.settled()
    // The capture of the node that counts most, as it was read, beside the character.
    await page.keyboard.press('g')
    await waitFor(() => page.evaluate(() => window.mocapella.compared.value.kind === 'capture'), 'the capture')
    const ghost = () => page.evaluate(() => { const m = window.mocapella, f = m.live.value.figures.find((one) => one.fields[m.hello.value.frame.figure] === 1); return f ? [...f.root] : null })
    await waitFor(ghost, 'the capture on the stage')
    const [there, here] = [await ghost(), (await p.hero()).root]
    say(Math.hypot(there[0] - here[0], there[2] - here[2]) < 4.2, 'the capture is not beside the character')
    await page.keyboard.press('g')
    await waitFor(async () => !(await ghost()), 'the comparison to end')
    await page.keyboard.press(' ')
    await waitFor(() => page.evaluate(() => !window.mocapella.playing.value), 'the space bar to pause')
    await page.waitForTimeout(300)
    const still = await p.hero()
    await page.keyboard.press('.')
    await waitFor(async () => (await p.hero()).time > still.time, 'a frame on')
    await page.keyboard.press(' ')
  },

  async drops_four_captures({ page, figures }) {
    home = await openServer(PYTHON, path.join(out, 'dropped'))
    {
      const p = await person(page, home.address)
      await p.walking()
      const began = Date.now()
      await p.drop(captures(WALKS))
      await waitFor(() => page.evaluate(() => window.mocapella.project.value.source === 'clips' && window.mocapella.project.value.clips.filter((c) => c.state === 'ready').length === 4), 'four clips to be in')
      await waitFor(async () => (await p.network()).blocks[0].nodes.length >= 3, 'a network of them')
      figures.four_captures_ms = Date.now() - began
      await p.walking()
      const from = await p.hero()
      await p.dragPoint(0.5, 0.3)
      await waitFor(async () => (await p.wayFrom(from)) > 0.3, 'the dropped character to walk')
      await page.screenshot({ path: path.join(out, 'screens', 'dropped-dark.png') })
      // One more, dropped on the map, becomes a node where it was dropped; undo takes it out.
      const map = await boxOf(page.locator('.network-canvas svg')), spot = [map.x + 0.6 * map.width, map.y + 0.3 * map.height], count = (await p.network()).blocks[0].nodes.length
      await p.drop(captures(['16_25.bvh']), spot)
      await waitFor(async () => (await p.network()).blocks[0].nodes.length > count, 'a node where it was dropped')
      const [added] = (await p.network()).blocks[0].nodes.filter((n) => n.name.includes('16_25')), box = await boxOf(page.locator(`[data-node="${added.name}"] .node-hit`))
      say(Math.hypot(box.x + box.width / 2 - spot[0], box.y + box.height / 2 - spot[1]) < 40, `the node lies at ${box.x}, ${box.y}, not at ${spot}`)
      // A file that is no capture is refused with a reason, and the others stay.
      fs.writeFileSync(path.join(out, 'broken.bvh'), fs.readFileSync(path.join(CAPTURES, WALKS[0]), 'latin1').split('\n').map((line, i) => (i === 300 ? line.replace(/\d+\.\d+/, 'nanx') : line)).join('\n'))
      await p.drop([path.join(out, 'broken.bvh')])
      await waitFor(() => page.evaluate(() => window.mocapella.refusals.value.length === 1), 'the broken file to be refused')
      const refusal = await page.evaluate(() => window.mocapella.refusals.value[0])
      say(/nanx/.test(refusal.message + refusal.got + JSON.stringify(refusal.lines)), `the refusal does not show what was found: ${JSON.stringify(refusal)}`)
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.evaluate(() => { location.hash = 'clips' })
      await page.getByRole('option', { name: /broken/ }).click()
      await page.waitForTimeout(600)
      await page.screenshot({ path: path.join(out, 'screens', 'refused-1440-dark.png') })
    }
  },

  async marks_another_cycle({ page }) {
    const p = await person(page, home.address)
    await p.walking()
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.evaluate(() => { location.hash = 'clips' })
    await page.getByRole('option', { name: /16_15/ }).click()
    await page.locator('.candidate-pick').first().waitFor()
    await page.waitForTimeout(800)
    await page.screenshot({ path: path.join(out, 'screens', 'clip-1440-dark.png') })
    const node = async () => (await p.network()).blocks[0].nodes.find((n) => n.clip.includes('16_15') || n.name.includes('16_15'))
    const before = await node(), clip = () => page.evaluate(() => window.mocapella.project.value.clips.find((c) => c.name.includes('16_15')))
    await page.locator('.candidate-pick[aria-pressed="false"]').first().click()
    await waitFor(async () => (await clip()).corrected, 'the other cycle to be taken')
    await waitFor(async () => (await node()).period !== before.period, 'the network of the other cycle')
    await page.locator('.candidate-pick[aria-pressed="true"]').first().waitFor()
    await page.keyboard.press('Control+z')
    await waitFor(async () => !(await clip()).corrected && Math.abs((await node()).period - before.period) < 1e-9, 'undo to take the first one again')
    await page.setViewportSize({ width: 1024, height: 700 })
    await page.waitForTimeout(300)
    const lost = await page.evaluate(outside)
    say(lost.length === 0, `a clip at 1024: outside of what they stand in: ${lost.join(' | ')}`)
    await page.setViewportSize({ width: 1440, height: 900 })
    for (const tab of ['signals', 'edits', 'hybrid']) {
      await page.evaluate((t) => { location.hash = t }, tab)
      await page.waitForTimeout(900)
      await page.screenshot({ path: path.join(out, 'screens', `dropped-${tab}-1440-dark.png`) })
    }
    await page.goto('about:blank')
    await home.stop()
    home = null
  },

  async moves_a_node_and_undoes({ page }) {
    const p = await person(page, server.address)
    await p.walking()
    const block = (await p.network()).blocks[0], node = block.nodes.find((n) => /fast.*right/.test(n.name) && !/sharp/.test(n.name)) ?? block.nodes[0]
    const place = async () => (await p.network()).blocks[0].nodes.find((n) => n.name === node.name)?.at
    await p.dragNode(node.name, 14, 12)
    await waitFor(async () => { const at = await place(); return at && (at[0] !== node.at[0] || at[1] !== node.at[1]) }, 'the node to move')
    await p.calm()
    await page.keyboard.press('Control+z')
    await waitFor(async () => { const at = await place(); return at && Math.abs(at[0] - node.at[0]) < 1e-9 && Math.abs(at[1] - node.at[1]) < 1e-9 }, 'undo to put it back')
    await p.dragNode(node.name, 14, 12, { escape: true })
    await p.calm()
    await waitFor(async () => { const at = await place(); return at && Math.abs(at[0] - node.at[0]) < 1e-6 && Math.abs(at[1] - node.at[1]) < 1e-6 }, 'Escape to put it back')
    await page.locator(`[data-node="${node.name}"] .node-hit`).dblclick()
    await page.locator('.rename input:focus').waitFor()
    await page.keyboard.type('renamed')
    await page.keyboard.press('Enter')
    await waitFor(async () => (await p.network()).blocks[0].nodes.some((n) => n.name === 'renamed'), 'the new name')
    await page.keyboard.press('Control+z')
    await waitFor(async () => (await p.network()).blocks[0].nodes.some((n) => n.name === node.name), 'the old name')
    // Adding and removing a node, as a person does: N, choose it, Del.
    const count = (await p.network()).blocks[0].nodes.length
    await p.dragPoint(0.52, 0.55)
    await page.waitForTimeout(200)
    await page.keyboard.press('n')
    await waitFor(async () => (await p.network()).blocks[0].nodes.length === count + 1, 'a node at the point')
    await page.keyboard.press('Control+z')
    await waitFor(async () => (await p.network()).blocks[0].nodes.length === count, 'undo to take it out')
  },

  async takes_a_twirl_and_comes_back({ page }) {
    const p = await person(page, server.address)
    await p.walking()
    await waitFor(async () => (await p.network()).hybrid, 'the whole actor')
    const n = await p.network(), arc = n.arcs.find((a) => /twirl/i.test(a.name) && a.source[0] === n.blocks[0].name && a.target[0] === a.source[0])
    say(arc, 'the actor has no twirl')
    const mode = n.modes.find((m) => m.arcs.includes(arc.name) && m.key)
    await page.locator('.stage canvas').focus()
    await page.keyboard.press(mode?.key ?? arc.key)
    const at = n.blocks[0].nodes.find((x) => x.name === arc.source[1]).at
    await page.evaluate((to) => window.mocapella.tell({ type: 'point', at: to }), at)
    await waitFor(async () => (await p.hero()).state === 2, 'the twirl to begin')
    await page.locator('.blend-point--hidden').waitFor({ state: 'attached' })
    await page.screenshot({ path: path.join(out, 'screens', 'twirl-dark.png') })
    await p.dragPoint(0.4, 0.3)
    await waitFor(async () => (await p.hero()).state === 0, 'the walk to come back')
    await page.locator('.blend-point--hidden').waitFor({ state: 'detached' })
  },

  async walks_along_a_drawn_path({ page }) {
    const p = await person(page, server.address)
    await p.walking()
    await page.locator('.stage canvas').focus()
    await page.keyboard.press('p')
    await page.waitForTimeout(300)
    const box = await boxOf(page.locator('.stage canvas')), at = (u, v) => [box.x + u * box.width, box.y + v * box.height]
    const way = [[0.5, 0.62], [0.56, 0.66], [0.62, 0.72], [0.64, 0.8], [0.56, 0.88], [0.44, 0.9], [0.34, 0.84], [0.32, 0.74]].map(([u, v]) => at(u, v))
    await page.mouse.move(...way[0])
    await page.mouse.down()
    for (const spot of way.slice(1)) await page.mouse.move(...spot, { steps: 4 })
    await page.screenshot({ path: path.join(out, 'screens', 'path-dark.png') })
    await page.mouse.up()
    await waitFor(() => page.evaluate(() => (window.mocapella.project.value.characters[0]?.path.length ?? 0) > 3), 'the path to be taken')
    await waitFor(async () => (await p.hero()).path_left > 0.5, 'the character to follow')
    const left = (await p.hero()).path_left
    await waitFor(async () => (await p.hero()).path_left < left - 0.5, 'it to get on')
    await page.keyboard.press('Control+z')
    await waitFor(() => page.evaluate(() => (window.mocapella.project.value.characters[0]?.path.length ?? 0) === 0), 'undo to take the path away')
  },

  async exports_a_file({ page, figures }) {
    const p = await person(page, server.address)
    await p.walking()
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByRole('radio', { name: /plain file/i }).click()
    await page.getByRole('group', { name: 'What' }).getByText('Recording').click()
    await page.getByRole('group', { name: 'Format' }).getByText('BVH').click()
    const length = page.getByRole('textbox', { name: 'Seconds' })
    if (await length.count()) { await length.fill('2'); await length.press('Enter') }
    await page.screenshot({ path: path.join(out, 'screens', 'export-dark.png') })
    await page.locator('.dialog-foot .button--primary').click()
    await waitFor(() => page.locator('a.file-item').count(), 'the file')
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('a.file-item').first().click()])
    figures.file = path.join(out, 'exported.bvh')
    await download.saveAs(figures.file)
    say(await page.evaluate(() => window.mocapella.jobs.value.length === 0), 'the export still counts as under way')
    say(/\.bvh$/.test(await page.locator('.toast a.link').innerText()), 'no word of the file that was written')
    await page.getByRole('radio', { name: /crowd page/i }).click()
    await waitFor(() => page.locator('.export-preview').getByText('.html').count(), 'the plan of a page')
    await page.screenshot({ path: path.join(out, 'screens', 'export-crowd.png') })
    await page.keyboard.press('Escape')
    say(await page.locator('.dialog').count() === 0, 'Escape closes the dialog')
    // A picture and a film of the stage, a recording, and the project itself.
    const fetched = async (name) => { const [got] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]); return fs.readFileSync(await got.path()) }
    say((await fetched('Save a picture')).subarray(1, 4).toString() === 'PNG', 'the picture is no PNG')
    await page.getByRole('button', { name: 'Film the stage' }).click()
    await page.waitForTimeout(900)
    const film = await fetched('End the film')
    say(film.length > 1000 && film.readUInt32BE(0) === 0x1a45dfa3, `the film is no WebM: ${film.length} bytes`)
    await page.locator('.stage canvas').focus()
    await page.keyboard.press('r')
    await waitFor(() => page.evaluate(() => window.mocapella.recordedSeconds.value > 0.5), 'the recording')
    await page.keyboard.press('r')
    await waitFor(() => page.evaluate(() => !window.mocapella.recording.value.recording && window.mocapella.recording.value.seconds > 0.3), 'the end of the recording')
    await page.keyboard.press('Control+s')
    await waitFor(() => page.evaluate(() => window.mocapella.project.value.saved), 'the project to be saved')
  },

  async finds_its_state_again({ page, context }) {
    const p = await person(page, server.address)
    await p.walking()
    const node = (await p.network()).blocks[0].nodes[0]
    await p.dragNode(node.name, 10, -8)
    await waitFor(async () => (await p.network()).blocks[0].nodes[0].at[0] !== node.at[0], 'the node to move')
    await p.calm()
    const moved = (await p.network()).blocks[0].nodes[0].at
    // Another tab sees the same project, and what one does the other shows.
    const other = await context.newPage(), q = await person(other, server.address)
    await q.walking()
    near((await q.network()).blocks[0].nodes[0].at[0], moved[0], 1e-9, 'the other tab has the moved node')
    await other.keyboard.press('Control+z')
    await waitFor(async () => Math.abs((await p.network()).blocks[0].nodes[0].at[0] - node.at[0]) < 1e-9, 'the first tab to follow the other')
    await other.keyboard.press('Control+Shift+z')
    await waitFor(async () => Math.abs((await p.network()).blocks[0].nodes[0].at[0] - moved[0]) < 1e-9, 'redo')
    await other.close()
    await page.reload()
    await p.walking()
    near((await p.network()).blocks[0].nodes[0].at[0], moved[0], 1e-9, 'a reloaded page has the moved node')
    await page.keyboard.press('Control+z')
  },

  async comes_back_after_the_server({ page, allowed }) {
    allowed.push(/ERR_CONNECTION_REFUSED|WebSocket connection/)
    const folder = path.join(out, 'restarted'), first = await openServer(PYTHON, folder)
    let p
    try { p = await person(page, first.address); await p.walking() } finally { first.kill() }
    await page.getByText('reconnecting').waitFor()
    await page.screenshot({ path: path.join(out, 'screens', 'lost-dark.png') })
    const second = await openServer(PYTHON, folder, first.port)
    try {
      await page.locator('.live:not(.live--lost)').waitFor()
      await p.walking()
      const from = (await p.hero()).time
      await waitFor(async () => (await p.hero()).time !== from, 'poses again')
    } finally { await second.stop() }
  },

  async keeps_pace({ page, figures }) {
    const p = await person(page, server.address)
    await p.walking()
    await page.evaluate(() => { window.mocapella.inside.stage.stop(); window.mocapella.connection.roundTrips.length = 0 })
    const seconds = Number(process.env.PACE_SECONDS ?? 4)
    const late = await page.evaluate((s) => new Promise((done) => {
      const { connection, tell, hero, network } = window.mocapella, nodes = network.value.blocks[0].nodes.map((n) => n.at), mid = [0, 1].map((k) => nodes.reduce((t, a) => t + a[k], 0) / nodes.length)
      const times = []
      const off = connection.onFrame(() => { times.push(performance.now()) })
      let i = 0
      const timer = setInterval(() => { i++; tell({ type: 'point', at: [mid[0] + 15 * Math.sin(i / 40), mid[1] + 0.2 * Math.sin(i / 70)] }) }, 1000 / 60)
      setTimeout(() => { clearInterval(timer); off(); done({ frames: times.length, late: times.filter((t, k) => k && t - times[k - 1] > 2 * 1000 / 60).length, seen: hero.value !== null }) }, 1000 * s)
    }), seconds)
    const trips = (await page.evaluate(() => window.mocapella.connection.roundTrips)).sort((a, b) => a - b)
    say(trips.length > 20, `only ${trips.length} round trips`)
    const q = (u) => Number(trips[Math.min(trips.length - 1, Math.floor(u * trips.length))].toFixed(1))
    Object.assign(figures, { round_trip_p50_ms: q(0.5), round_trip_p95_ms: q(0.95), frames_per_second: Math.round(late.frames / seconds), late_percent: Number((100 * late.late / late.frames).toFixed(1)) })
  },

  async shows_every_panel({ page }) {
    const p = await person(page, server.address)
    await p.walking()
    const tabs = await page.locator('.tabs .tab').evaluateAll((all) => all.map((a) => a.getAttribute('href').slice(1)))
    const shoot = async (name) => { await page.evaluate(() => window.mocapella.inside.stage?.sharpen(1)); await page.waitForTimeout(900); await page.screenshot({ path: path.join(out, 'screens', `${name}.png`) }) }
    await waitFor(async () => (await p.network()).hybrid, 'the whole actor') // a few of its walks come first
    await p.dragPoint(0.43, 0.33)
    await page.evaluate(() => { window.mocapella.layer.value = 'distortion' }) // asked for here, looked at in the second round
    await waitFor(() => page.evaluate(() => Object.keys(window.mocapella.maps.value).length > 0), 'the map of distortion', 2 * PATIENCE)
    for (const [w, h, theme] of [[1440, 900, 'dark'], [1280, 720, 'light']]) {
      await page.setViewportSize({ width: w, height: h })
      await page.evaluate(([t, l]) => { window.mocapella.theme.value = t; window.mocapella.layer.value = l }, [theme, theme === 'light' ? 'distortion' : ''])
      for (const tab of tabs) {
        await page.evaluate((t) => { location.hash = t }, tab)
        await shoot(`${tab}-${w}-${theme}`)
        const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
        say(wide[0] <= wide[1], `${tab} is wider than the window at ${w}: ${wide}`)
      }
      await page.evaluate(() => { location.hash = 'stage' })
      for (const [key, name] of [['?', 'keys']]) { await page.keyboard.press(key); await shoot(`${name}-${w}-${theme}`); await page.keyboard.press('Escape') }
    }
    // A small window: nothing that is pressed or read lies outside of its panel.
    await page.setViewportSize({ width: 1024, height: 700 })
    for (const tab of tabs) {
      await page.evaluate((t) => { location.hash = t }, tab)
      await page.waitForTimeout(300)
      const lost = await page.evaluate(outside)
      say(lost.length === 0, `${tab} at 1024: outside of what they stand in: ${lost.join(' | ')}`)
    }
    await page.evaluate(() => { location.hash = 'stage' })
    await page.setViewportSize({ width: 390, height: 844 }) // a phone held upright
    await page.locator('.phone--upright').waitFor()
    const head = await boxOf(page.locator('.phone .readouts')), acts = await boxOf(page.locator('.phone-acts'))
    await waitFor(() => page.evaluate(() => window.mocapella.inside.stage?.ids.length), 'the stage of the phone')
    await waitFor(async () => { // the camera glides to where the whole body is seen
      const [top, foot] = await page.evaluate(() => { const s = window.mocapella.inside.stage, [x, , z] = window.mocapella.hero.value.root; s.draw(0); return [s.screenOf(x, 1.8, z).y, s.screenOf(x, 0, z).y] })
      return top > head.y + head.height - 10 && foot < acts.y + 10
    }, 'the body to stand between the numbers and the buttons')
    await shoot('phone-390-light')
    await page.setViewportSize({ width: 844, height: 390 })
    await page.evaluate(() => { window.mocapella.theme.value = 'dark' })
    await shoot('phone-844-dark')
    const before = (await p.hero()).goal
    await waitFor(async () => { // pressed again where the page was still being laid out
      const pad = await boxOf(page.locator('.phone-pad svg'))
      await page.mouse.click(pad.x + 0.4 * pad.width, pad.y + 0.3 * pad.height)
      await page.waitForTimeout(200)
      const { goal } = await p.hero()
      return Math.hypot(goal[0] - before[0], goal[1] - before[1]) > 0.02
    }, 'the pad to steer')
    const small = await page.evaluate(() => [...document.querySelectorAll('.phone button')].map((b) => b.getBoundingClientRect()).filter((r) => r.width < 44 || r.height < 44).length)
    say(small === 0, 'targets of a thumb are at least 44 px')
  },

  async steers_by_touch({ page, context }) {
    const p = await person(page, server.address)
    await p.walking()
    await waitFor(async () => (await p.network()).hybrid, 'the whole actor', 300_000) // as long as its job may take where nothing is stored yet; its map is another than that of the first walks
    const touch = await context.newCDPSession(page), send = (type, ...touchPoints) => touch.send('Input.dispatchTouchEvent', { type, touchPoints })
    /** Slide a finger. All of it is sent at once: a busy page that answers late to each part would make a long press of it. */
    const slide = (from, to, steps = 6) => {
      const at = (u) => ({ x: from[0] + u * (to[0] - from[0]), y: from[1] + u * (to[1] - from[1]) })
      return Promise.all([send('touchStart', at(0)), ...Array.from({ length: steps }, (_, i) => send('touchMove', at((i + 1) / steps))), send('touchEnd')])
    }
    /** Do something and wait until the server has answered; again while it has not had its effect, as the page may be drawn anew under the finger. */
    const until = (act, effect, what) => waitFor(async () => { await act(); await p.calm(); return effect() }, what)
    // A phone held sideways: a thumb slides over the pad, the page does not, and buttons are tapped.
    const slideOnPad = async (from, to) => {
      const pad = await boxOf(page.locator('.phone-pad svg')), spot = ([u, v]) => [pad.x + u * pad.width, pad.y + v * pad.height]
      await slide(spot(from), spot(to))
    }
    await until(() => slideOnPad([0.5, 0.6], [0.25, 0.4]), async () => (await p.hero()).goal[0] > 3, 'the thumb at the left to steer left')
    await until(() => slideOnPad([0.25, 0.4], [0.85, 0.4]), async () => (await p.hero()).goal[0] < -3, 'the thumb at the right to steer right')
    say((await page.evaluate(() => [scrollX, scrollY].join())) === '0,0', 'the page slides under the thumb')
    await page.evaluate(() => { window.gestures = 0; for (const kind of ['click', 'contextmenu', 'pointercancel']) addEventListener(kind, () => { window.gestures += 1 }, true) })
    const gestures = () => page.evaluate(() => window.gestures), isPlaying = () => page.evaluate(() => window.mocapella.playing.value)
    /** Tap the button until it has its effect: a tap may be taken for another gesture, or with the touch before it for none at all. */
    const tapUntil = (on, what) => waitFor(async () => {
      if ((await isPlaying()) === on) return true
      const before = await gestures()
      await page.locator('.phone .round--primary').tap()
      await waitFor(async () => (await gestures()) > before, 'a tap to be seen', 3000).catch(() => undefined)
      return (await isPlaying()) === on
    }, what)
    await tapUntil(false, 'a tap to pause')
    const yaw = () => page.evaluate(() => window.mocapella.inside.stage.camera.view.yaw), before = await yaw(), stage = await boxOf(page.locator('.phone canvas'))
    const spot = (u, v) => [stage.x + u * stage.width, stage.y + v * stage.height]
    await until(() => slide(spot(0.3, 0.4), spot(0.45, 0.4)), async () => Math.abs((await yaw()) - before) > 0.1, 'a finger on the stage to turn the camera')
    await tapUntil(true, 'a tap to go on') // after the slide: two taps in a row would be a double tap
    // The same hand on the whole page: the point and a node are dragged by touch.
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.locator('.network-canvas svg .blend-point-hit').waitFor()
    const goal = (await p.hero()).goal, middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2]
    await until(async () => {
      const map = await boxOf(page.locator('.network-canvas svg')), dot = await boxOf(page.locator('.blend-point-hit'))
      if (map && dot) await slide(middle(dot), [map.x + 0.45 * map.width, map.y + 0.35 * map.height]) // the map may be drawn anew between two looks at it
    }, async () => { const now = (await p.hero()).goal; return Math.hypot(now[0] - goal[0], 100 * (now[1] - goal[1])) > 5 }, 'the point to follow a finger')
    const node = (await p.network()).blocks[0].nodes[0]
    await until(async () => {
      const hit = await boxOf(page.locator(`[data-node="${node.name}"] .node-hit`))
      if (hit) await slide(middle(hit), [hit.x + hit.width / 2 + 36, hit.y + hit.height / 2 - 30]) // browsers leave out moves within 15 px of the touch
    }, async () => (await p.network()).blocks[0].nodes[0].at.join() !== node.at.join(), 'a node to follow a finger')
    await p.calm()
    await page.keyboard.press('Control+z')
  },

  async is_named_for_assistive_technology({ page }) {
    const p = await person(page, server.address)
    await p.walking()
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.emulateMedia({ reducedMotion: 'reduce' }) // colours change at once
    const nameless = () => page.evaluate(() => [...document.querySelectorAll('button, a[href], input, select, textarea, canvas, [role="slider"], [role="button"], [role="option"], [role="radio"], [role="switch"], [tabindex="0"]')]
      .filter((e) => e.checkVisibility() && !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.textContent.trim() || e.title || e.closest('label'))).map((e) => e.outerHTML.slice(0, 120)))
    /** Go on by one Tab: what is reached, and whether one sees that it is (it looks otherwise once it loses the focus). */
    const tab = async () => {
      await page.keyboard.press('Tab')
      return page.evaluate(() => {
        const one = document.activeElement
        if (!one || one === document.body) return null
        const look = () => [one, one.parentElement, ...[...one.querySelectorAll('*')].slice(0, 12)].map((e) => { const s = getComputedStyle(e); return [s.boxShadow, s.outline, s.stroke, s.strokeWidth, s.fill, s.borderColor, s.backgroundColor].join() }).join()
        const all = [...document.querySelectorAll('*')], number = all.indexOf(one), held = look()
        one.blur()
        return { number, name: one.getAttribute('aria-label') ?? one.textContent?.trim().slice(0, 40) ?? '', seen: look() !== held, inDialog: Boolean(one.closest('.dialog')), html: one.outerHTML.slice(0, 140) }
      })
    }
    const wrong = []
    for (const id of await page.locator('.tabs .tab').evaluateAll((all) => all.map((a) => a.getAttribute('href').slice(1)))) {
      await page.evaluate((to) => { location.hash = to }, id)
      await page.waitForTimeout(400)
      wrong.push(...(await nameless()).map((e) => `${id}: without a name: ${e}`))
      for (const theme of ['light', 'dark']) {
        await page.evaluate((t) => { window.mocapella.theme.value = t }, theme)
        wrong.push(...(await page.evaluate(hardToRead)).map((e) => `${id}, ${theme}: ${e}`))
      }
      const names = [], seen = new Set()
      let out = false
      for (let i = 0; i < 150 && !out; i++) { // round once: a trap would never let go
        const one = await tab()
        if (!one || seen.has(one.number)) { out = true; break }
        seen.add(one.number)
        names.push(one.name)
        if (!one.seen) wrong.push(`${id}: its focus is not seen: ${one.html}`)
      }
      if (!out) wrong.push(`${id}: Tab does not come round`)
      if (id === 'stage' && !names.some((x) => /Blending point/.test(x))) wrong.push(`the blending point is not reached by Tab: ${names.join(' | ')}`)
    }
    await page.evaluate(() => { location.hash = 'stage' })
    for (const name of ['export', 'open', 'python', 'help']) {
      await page.evaluate((d) => { window.mocapella.dialog.value = d }, name)
      await page.locator('.dialog').waitFor()
      await page.waitForTimeout(250)
      wrong.push(...(await nameless()).map((e) => `${name}: without a name: ${e}`), ...(await page.evaluate(hardToRead)).map((e) => `${name}: ${e}`))
      const first = await page.evaluate(() => Boolean(document.activeElement?.closest('.dialog')))
      if (!first) wrong.push(`${name}: the focus does not go into the dialog`)
      await page.keyboard.press('Escape')
      await page.locator('.dialog').waitFor({ state: 'detached' })
    }
    say(wrong.length === 0, wrong.slice(0, 12).join('\n'))
  },
}

// One after the other on one server; what has servers of its own goes on beside it, for most of the time is waiting.
const APART = ['drops_four_captures', 'marks_another_cycle', 'comes_back_after_the_server']
const lanes = [Object.keys(scenarios).filter((name) => !APART.includes(name)), APART].map((names) => names.filter((name) => !wanted.length || wanted.includes(name)))
const results = {}
server = await openServer(PYTHON, path.join(out, 'folder'))
browser = await openBrowser()

async function play(name) {
  const began = Date.now(), figures = {}, said = [], allowed = []
  if (['drops_four_captures', 'marks_another_cycle'].includes(name) && !CAPTURES) { results[name] = { skipped: 'no real captures' }; return }
  const hand = name === 'steers_by_touch' ? { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true } : { viewport: { width: 1120, height: 640 } }
  const context = await browser.newContext({ ...hand, acceptDownloads: true, colorScheme: 'dark' })
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  context.on('page', (one) => listenTo(one, said))
  listenTo(page, said)
  let error = ''
  try { await scenarios[name]({ page, context, figures, allowed }) } catch (e) { error = String(e.stack ?? e); await page.screenshot({ path: path.join(out, `failed-${name}.png`) }).catch(() => undefined) }
  const unexpected = said.filter((text) => !allowed.some((a) => a.test(text)))
  if (!error && unexpected.length) error = `the console said: ${unexpected.slice(0, 5).join('\n')}`
  results[name] = { error, figures, seconds: (Date.now() - began) / 1000 }
  fs.writeSync(1, `${error ? 'FAILED' : 'ok'} ${name} ${results[name].seconds.toFixed(1)} s ${error ? error.split('\n').slice(0, 3).join(' | ') : JSON.stringify({ ...figures, joints: undefined })}\n`)
  await context.close()
}

try {
  await Promise.all(lanes.map(async (names) => { for (const name of names) await play(name) }))
} finally {
  fs.writeFileSync(path.join(out, 'results.json'), JSON.stringify(results))
  await browser.close()
  await home?.stop()
  await server.stop()
}
process.exit(0)
