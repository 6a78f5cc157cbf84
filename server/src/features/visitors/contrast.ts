/** A colour as `#rrggbb`. */
type Colour = string

const paper = '#ffffff'
const ink = '#14161a'
/** WCAG 2.2, success criterion 1.4.3: text of usual size. */
export const readable = 4.5
/** WCAG 2.2, success criterion 1.4.11: the border of a field. */
export const visible = 3

/** White or black, whichever is easier to read on a colour. */
export function bestOn(ground: Colour): Colour {
  return contrast(ground, paper) >= contrast(ground, ink) ? paper : ink
}

/**
 * A colour as text, darkened or lightened until it is readable on a ground and on others that resemble it.
 */
export function readableOn(colour: Colour, ground: Colour, ...others: readonly Colour[]): Colour {
  const end = bestOn(ground) === paper ? paper : '#000000'
  for (let step = 0; step <= 20; step += 1) {
    const mixed = mix(colour, end, step / 20)
    if ([ground, ...others].every((one) => contrast(mixed, one) >= readable)) return mixed
  }
  return end
}

/** The contrast of a colour with a white page, from 1 to 21 (WCAG 2.2). */
export function contrastWithPaper(accent: Colour): number {
  return Math.round(contrast(accent, paper) * 10) / 10
}

/** WCAG 2.2: from 1 to 21. */
export function contrast(one: Colour, other: Colour): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminance(colour: Colour): number {
  const [r = 0, g = 0, b = 0] = channels(colour).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** @param part of the other colour, from 0 to 1; as `color-mix(in srgb, …)` mixes */
export function mix(one: Colour, other: Colour, part: number): Colour {
  const ends = channels(other)
  const mixed = channels(one).map((value, i) => Math.round(value + ((ends[i] ?? 0) - value) * part))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function channels(colour: Colour): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}
