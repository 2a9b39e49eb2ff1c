// Run in a page: what somebody with a screen reader, or with weak eyes, could not make out.

/** Roles that stand outside of what they belong to, ids given twice, labels that nobody reads, and text whose contrast is below 4.5 (WCAG AA). */
export function hardToRead() {
  const wrong = [], hosts = { tab: 'tablist', option: 'listbox', radio: 'radiogroup', treeitem: 'tree' }
  const short = (e) => `${e.tagName.toLowerCase()}.${e.className.baseVal ?? e.className} "${e.textContent.trim().slice(0, 24)}"`
  for (const [role, host] of Object.entries(hosts)) for (const e of document.querySelectorAll(`[role="${role}"]`)) if (!e.closest(`[role="${host}"]`)) wrong.push(`${role} outside of a ${host}: ${short(e)}`)
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id)
  wrong.push(...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `two have the id ${id}`))
  for (const e of document.querySelectorAll(':is(div, span)[aria-label]:not([role])')) wrong.push(`a label without a role: ${short(e)}`)
  const brush = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true })
  const colour = (text) => { brush.clearRect(0, 0, 1, 1); brush.fillStyle = text; brush.fillRect(0, 0, 1, 1); const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255] }
  const over = (top, under) => [0, 1, 2].map((k) => top[k] * top[3] + under[k] * (1 - top[3]))
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, share, k) => { const v = c[k] / 255; return sum + share * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4) }, 0)
  for (const e of document.querySelectorAll('main *, .app-bar *, .dialog *')) {
    const says = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent.trim())
    if (!says || !e.checkVisibility() || e.closest('.stage, .pip, svg, [disabled]')) continue // what lies over a picture has no ground of its own
    const grounds = []
    for (let at = e; at; at = at.parentElement) { const one = colour(getComputedStyle(at).backgroundColor); grounds.unshift(one); if (one[3] > 0.99) break }
    const ground = grounds.reduce((under, top) => over(top, under), [255, 255, 255]), ink = over(colour(getComputedStyle(e).color), ground)
    const [a, b] = [light(ink), light(ground)].sort((p, q) => q - p), contrast = (a + 0.05) / (b + 0.05)
    if (contrast < 4.5) wrong.push(`contrast ${contrast.toFixed(2)}: ${short(e)}`)
  }
  return [...new Set(wrong)]
}
