// A person at the page: looks at what is there, drags, drops. And the server they started.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const { chromium } = createRequire(new URL('../../web/package.json', import.meta.url))('playwright-core')

/** Debian's chromium. The stage is drawn by SwiftShader; the page itself is not, which takes a tenth of the time without a graphics card. */
export const openBrowser = () => chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--disable-gpu-compositing'] })

export const PATIENCE = 90_000 // milliseconds that anything may take: machines that test are busy

export async function waitFor(condition, what, limit = PATIENCE) {
  const end = Date.now() + limit
  for (;;) {
    if (await condition()) return
    if (Date.now() > end) throw new Error(`waited ${limit / 1000} s for ${what}`)
    await new Promise((done) => setTimeout(done, 40))
  }
}

/** Where a thing lies on the page; while the page is drawn anew, it may be nowhere for a moment. */
export async function boxOf(locator) {
  let box = null
  await waitFor(async () => (box = await locator.boundingBox().catch(() => null)) !== null, `a place of ${locator}`)
  return box
}

/** What a page says on its console, but for the graphics driver, which finds it slow that pictures are fetched from it. */
export function listenTo(page, said) {
  page.on('console', (m) => { if (!/GPU stall due to ReadPixels/.test(m.text())) said.push(`${m.type()}: ${m.text()}`) })
  page.on('pageerror', (e) => said.push(`error: ${e.stack ?? e}`))
}

/** Start `mocapella studio` in a folder; its address is the first line it prints. */
export async function openServer(python, folder, port = 0) {
  fs.mkdirSync(folder, { recursive: true })
  const began = Date.now(), child = spawn(python, ['-m', 'mocapella', 'studio', folder, '--no-browser', '--port', String(port)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (text) => { errors += text })
  const line = await new Promise((done, fail) => {
    let text = ''
    child.stdout.on('data', (part) => { text += part; if (text.includes('\n')) done(text.split('\n')[0]) })
    child.once('exit', (code) => fail(new Error(`the server ended with ${code}: ${errors.slice(-800)}`)))
  })
  const address = line.match(/https?:\/\/\S+/)[0], url = new URL(address)
  await waitFor(async () => fetch(`${url.origin}/health`).then((r) => r.ok, () => false), 'the server to answer')
  const over = new Promise((done) => child.once('exit', done))
  return {
    address, origin: url.origin, port: Number(url.port), began,
    kill: () => { child.kill('SIGKILL') },
    stop: async () => { child.kill('SIGTERM'); const late = setTimeout(() => child.kill('SIGKILL'), 4000); await over; clearTimeout(late) },
  }
}

/** Draw five pictures a second: without a graphics card sixty keep a core busy that the server and other tests need. */
const drawSeldom = () => {
  window.requestAnimationFrame = (draw) => window.setTimeout(() => draw(performance.now()), 200)
  window.cancelAnimationFrame = (one) => window.clearTimeout(one)
}

/** Draw the stage with a quarter of its pixels, jagged edges and no shadows, which take half of a picture's time. */
const drawCoarsely = () => {
  const { getContext } = HTMLCanvasElement.prototype, gl = WebGL2RenderingContext.prototype, { bindFramebuffer } = gl
  HTMLCanvasElement.prototype.getContext = function (kind, wishes) { return getContext.call(this, kind, /webgl/.test(kind) ? { ...wishes, antialias: false } : wishes) }
  gl.bindFramebuffer = function (kind, buffer) { this.aside = buffer !== null; bindFramebuffer.call(this, kind, buffer) }
  for (const name of ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced']) {
    const draw = gl[name]
    gl[name] = function (...all) { if (!this.aside) draw.apply(this, all) }
  }
  Object.defineProperty(window, 'devicePixelRatio', { get: () => 0.5 })
}

/** Pictures are kept (see beside.py), and are to be as users see them. */
export const KEPT = Boolean(process.env.MOCAPELLA_SCREENS)

/** Before a page is opened: what it draws is to leave time to other tests. */
export async function drawLittle(page) {
  await page.addInitScript(drawSeldom)
  if (!KEPT) await page.addInitScript(drawCoarsely)
}

/** Open the page; `smooth`: with as many pictures as the browser can draw, and all that users see in them. */
export async function person(page, address, { welcomed = true, smooth = false } = {}) {
  if (!smooth) await drawLittle(page)
  await page.addInitScript((w) => { if (w && location.protocol === 'http:') localStorage.setItem('mocapella.welcomed', 'yes') }, welcomed)
  await page.goto(address)
  const FIELDS = await page.waitForFunction(() => window.mocapella?.hello.value?.frame).then((h) => h.jsonValue())
  const hero = async () => {
    const [f, root] = await page.evaluate(() => { const h = window.mocapella.hero.value; return h ? [[...h.fields], [...h.root]] : [null, null] })
    if (!f) return null
    const get = (name) => f[FIELDS[name]]
    return { root, time: get('time'), phase: get('phase'), turn: get('turn'), speed: get('speed'), asked_turn: get('asked_turn'), asked_speed: get('asked_speed'), heading: get('heading'), state: get('state'), slip: get('slip'), path_left: get('path_left'),
      point: [get('point_x'), get('point_y')], goal: [get('goal_x'), get('goal_y')] }
  }
  const drag = async (from, to, escape) => {
    await page.mouse.move(...from)
    await page.mouse.down()
    await page.mouse.move(...to, { steps: 8 })
    if (escape) await page.keyboard.press('Escape')
    await page.mouse.up()
  }
  return {
    hero,
    /** What the character does once its point has come to rest where it was sent. */
    async settled() {
      let last = null
      await waitFor(async () => { const now = await hero(), rests = last && Math.hypot(now.goal[0] - last[0], now.goal[1] - last[1]) < 1e-6; last = now.goal; if (!rests) await page.waitForTimeout(250); return rests }, 'the point to rest')
      return hero()
    },
    /** Wait until the server has answered all that the page sent, the last moves of a drag among them. */
    calm: () => waitFor(() => page.evaluate(() => window.mocapella.connection.pending.size === 0), 'the server to answer'),
    network: () => page.evaluate(() => window.mocapella.network.value),
    walking: () => waitFor(async () => (await hero()) !== null, 'poses'),
    /** How far over the ground the character has gone since it was where it was seen before, in metres. */
    async wayFrom(before) { const { root } = await hero(); return Math.hypot(root[0] - before.root[0], root[2] - before.root[2]) },
    turned: (a, b) => Math.atan2(Math.sin(b - a), Math.cos(b - a)),
    /** Drag the blending point to a place of the map, as shares of its width and height. */
    async dragPoint(u, v, { escape = false } = {}) {
      const map = await boxOf(page.locator('.network-canvas svg')), dot = await boxOf(page.locator('.blend-point-hit'))
      await drag([dot.x + dot.width / 2, dot.y + dot.height / 2], [map.x + u * map.width, map.y + v * map.height], escape)
    },
    async dragNode(name, dx, dy, { escape = false } = {}) {
      const box = await boxOf(page.locator(`[data-node="${name}"] .node-hit`)), from = [box.x + box.width / 2, box.y + box.height / 2]
      await drag(from, [from[0] + dx, from[1] + dy], escape)
    },
    /** Drop files on the window, at a place of it. */
    async drop(files, spot = [300, 300]) {
      const data = files.map((file) => [path.basename(file), fs.readFileSync(file).toString('base64')])
      await page.evaluate(([all, at]) => {
        const carried = new DataTransfer()
        for (const [name, text] of all) carried.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name))
        for (const kind of ['dragenter', 'dragover', 'drop']) document.querySelector('main').dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: carried, clientX: at[0], clientY: at[1] }))
      }, [data, spot])
    },
  }
}
