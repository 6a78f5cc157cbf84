import type { ChatPageSettings } from './chat-page-settings.ts'
import { bestOn, contrast, mix, readable, readableOn, visible } from './contrast.ts'

/** Besides the font of all pages, only those that the visitor's system has. */
const fonts = {
  inter: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
  system: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
  serif: "ui-serif, Georgia, Cambria, 'Times New Roman', 'Noto Serif', serif",
  rounded: "ui-rounded, 'SF Pro Rounded', Nunito, Quicksand, 'Varela Round', system-ui, sans-serif",
} as const satisfies Record<ChatPageSettings['font'], string>

/** The corners of the page's style sheet are drawn for this radius. */
const usualRadius = 12
const white = '#ffffff'
/** The colours of the page's style sheet (page.css): the dark page, what is quiet on it, text, and so on. */
const night = '#15171c'
const quietNight = '#20232b'
const field = '#8a91a0'
const fieldAtNight = '#767e8f'
const ink = '#14161a'
const soft = '#565d6b'

export type Look = Pick<
  ChatPageSettings,
  'color' | 'header_color' | 'background_color' | 'font' | 'corner_radius'
>

/** The ground of code, cards and references on the light page. */
function quietOf(paper: string): string {
  return mix(paper, ink, 0.05)
}

/** The variables of the page's style sheet that follow from the settings. */
export function variablesOf(look: Look): Readonly<Record<string, string>> {
  const { color, header_color: header, background_color: background, font } = look
  const paper = background || white
  return {
    '--accent': color,
    '--on-accent': bestOn(color),
    '--on-light': readableOn(color, paper, quietOf(paper)),
    '--on-dark': readableOn(color, night, quietNight),
    '--light-paper': paper,
    '--header': header || 'var(--paper)',
    '--on-header': header === '' ? 'var(--ink)' : bestOn(header),
    '--round': String(look.corner_radius / usualRadius),
    '--font': fonts[font],
  }
}

export const pairNames = [
  'text',
  'quiet_text',
  'link',
  'link_dark',
  'field',
  'field_dark',
  'button_text',
  'header',
] as const

/** Two colours beside each other. */
export interface ColourPair {
  readonly pair: (typeof pairNames)[number]
  /** From 1 to 21. */
  readonly ratio: number
  /** What WCAG 2.2 asks for (success criteria 1.4.3 and 1.4.11). */
  readonly needed: number
}

/** The pairs of colours that the settings decide, and whether people can tell them apart. */
export function pairsOf(look: Look): ColourPair[] {
  const { color, header_color: header, background_color } = look
  const background = background_color || white
  const { '--on-light': link = ink, '--on-dark': linkAtNight = white } = variablesOf(look)
  const pair = (name: ColourPair['pair'], one: string, other: string, needed = readable) => ({
    pair: name,
    // Rounded down, so that 4.48 is not shown as enough.
    ratio: Math.floor(contrast(one, other) * 10) / 10,
    needed,
  })
  return [
    pair('text', ink, background),
    pair('quiet_text', soft, background),
    pair('link', link, quietOf(background)),
    pair('link_dark', linkAtNight, quietNight),
    pair('field', field, background, visible),
    pair('field_dark', fieldAtNight, night, visible),
    pair('button_text', bestOn(color), color),
    ...(header === '' ? [] : [pair('header', bestOn(header), header)]),
  ]
}
