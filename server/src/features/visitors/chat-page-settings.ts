import { z } from 'zod'
import { parsingOnce } from '#kernel/parsing-once.ts'

/** Who may open a page: everyone, those who know its secret link, members of the workspace, or people of the OpenID provider. */
export const pageAccesses = ['public', 'link', 'members', 'openid'] as const
export const pageThemes = ['system', 'light', 'dark'] as const
export const widgetSides = ['start', 'end'] as const
export const widgetIcons = ['chat', 'question', 'spark'] as const
export const pageFonts = ['inter', 'system', 'serif', 'rounded'] as const

const text = (most: number) => z.string().trim().max(most)

/** An address: never a script, and without a password. */
const link = z
  .union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2000)])
  .refine((value) => value === '' || isPlainLink(value), 'must not contain a password')

function isPlainLink(value: string): boolean {
  const { username, password } = new URL(value)
  return username === '' && password === ''
}

/** An image within the settings, so that a page loads nothing from elsewhere. */
const logo = z
  .string()
  .max(60_000)
  .regex(
    /^(?:data:image\/(?:png|jpeg|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2})?$/,
    'must be a PNG, JPEG, WebP or SVG image as a data: URL in base64',
  )

/** An origin as browsers send it. */
const storedOrigin = z
  .string()
  .max(300)
  .regex(
    /^https?:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/,
    'must be an origin such as https://www.example.com, in lower case and without a path',
  )

/** `localhost` is for editors only, whatever an earlier release has stored: see `mayEmbed`. */
const origin = storedOrigin.refine(
  (value) => !isLoopback(value),
  'must not be localhost, where only editors may embed it',
)

export function isLoopback(given: string): boolean {
  if (!URL.canParse(given)) return false
  // Written as browsers write it: 127.1 is 127.0.0.1, and 0 is 0.0.0.0, which is this computer as well.
  const { hostname } = new URL(given)
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(
    hostname,
  )
}

/** Where an editor can embed the widget on their own computer: what a policy of the frame can name. */
const editorHosts = ['localhost', '*.localhost', '127.0.0.1'] as const

/** The same as sources of `frame-ancestors`. */
export const editorSources: readonly string[] = editorHosts.flatMap((host) =>
  ['http', 'https'].map((scheme) => `${scheme}://${host}:*`),
)

/** Whether an editor's pass lets a site on their own computer embed the widget. */
export function isOfEditor(given: string): boolean {
  if (!URL.canParse(given)) return false
  const { hostname, protocol } = new URL(given)
  if (protocol !== 'http:' && protocol !== 'https:') return false
  return editorHosts.some((host) =>
    host.startsWith('*') ? hostname.endsWith(host.slice(1)) : hostname === host,
  )
}

/** A path of the host's site; `*` at the end is for all that begin with it. */
const sitePath = z
  .string()
  .max(300)
  .regex(/^\/[^\s*]*\*?$/, 'must be a path such as /prices or /shop/*')

const colour = z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #3d4ed6')

const pageFields = {
  enabled: z.boolean().describe('Whether visitors can open the page'),
  paused: z.boolean().describe('Whether the page refuses messages for now'),
  access: z.enum(pageAccesses),
  title: text(100).describe("Default: the agent's name"),
  disclaimer: text(500),
  imprint_url: link,
  privacy_url: link,
  logo,
  greeting: text(2000).describe("Default: the agent's greeting"),
  color: colour,
  header_color: colour.or(z.literal('')).describe('Of the header; empty for that of the page'),
  background_color: colour.or(z.literal('')).describe('Of the light page; empty for white'),
  font: z.enum(pageFonts),
  corner_radius: z.int().min(0).max(24).describe('In pixels'),
  theme: z.enum(pageThemes),
  indexable: z.boolean().describe('Whether search engines may list the page'),
  daily_messages: z.int().min(1).max(1_000_000).describe('Messages of all visitors in a day (UTC)'),
  message_characters: z.int().min(1).max(32_000).describe('The longest message'),
  visitor_files: z.boolean().describe('Whether visitors can attach images and files'),
  widget_origins: z
    .array(origin)
    .max(50)
    .describe('Sites that may embed the page as a widget; none if empty'),
  widget_side: z.enum(widgetSides).describe('Side of the window, in the direction of reading'),
  widget_icon: z.enum(widgetIcons),
  open_after_seconds: z
    .int()
    .min(0)
    .max(3600)
    .nullable()
    .describe('The widget opens after this time on a page; null: never'),
  open_at_scroll: z
    .int()
    .min(1)
    .max(100)
    .nullable()
    .describe('The widget opens when this percentage of a page has been read; null: never'),
  identity_jwks_url: link.describe(
    'Public keys (JWKS) with which your server signs identities; empty for none',
  ),
  identity_issuer: text(500).describe('iss that such a token must have; any if empty'),
  identity_audience: text(500).describe('aud that such a token must have; app_name_id if empty'),
  blocked_words: z
    .array(
      z
        .string()
        .trim()
        .max(100)
        .regex(/[\p{L}\p{N}]/u, 'must contain a letter or digit'),
    )
    .max(500)
    .describe('Words and phrases with which a message is refused'),
  moderation_url: link.describe('Decides on each message by HTTP; empty for none'),
  moderation_fails: z
    .enum(['open', 'closed'])
    .describe('Whether texts pass (open) or not (closed) while it cannot be asked'),
  moderate_answers: z
    .boolean()
    .describe('Also check answers; they are then shown only when they are complete'),
  open_on_paths: z
    .array(sitePath)
    .max(20)
    .describe('Pages of the site on which the widget may open without a click; all if empty'),
}

/**
 * The settings of a chat page. Every field has a default, so that a new field needs no migration.
 */
export const chatPageSettings = z.object({
  enabled: pageFields.enabled.default(false),
  paused: pageFields.paused.default(false),
  access: pageFields.access.default('public'),
  title: pageFields.title.default(''),
  disclaimer: pageFields.disclaimer.default(''),
  imprint_url: pageFields.imprint_url.default(''),
  privacy_url: pageFields.privacy_url.default(''),
  logo: pageFields.logo.default(''),
  greeting: pageFields.greeting.default(''),
  color: pageFields.color.default('#3d4ed6'),
  header_color: pageFields.header_color.default(''),
  background_color: pageFields.background_color.default(''),
  font: pageFields.font.default('inter'),
  corner_radius: pageFields.corner_radius.default(12),
  theme: pageFields.theme.default('system'),
  indexable: pageFields.indexable.default(false),
  daily_messages: pageFields.daily_messages.default(1000),
  message_characters: pageFields.message_characters.default(4000),
  visitor_files: pageFields.visitor_files.default(false),
  widget_origins: z.array(storedOrigin).default([]),
  widget_side: pageFields.widget_side.default('end'),
  widget_icon: pageFields.widget_icon.default('chat'),
  open_after_seconds: pageFields.open_after_seconds.default(null),
  open_at_scroll: pageFields.open_at_scroll.default(null),
  identity_jwks_url: pageFields.identity_jwks_url.default(''),
  identity_issuer: pageFields.identity_issuer.default(''),
  identity_audience: pageFields.identity_audience.default(''),
  blocked_words: pageFields.blocked_words.default([]),
  moderation_url: pageFields.moderation_url.default(''),
  moderation_fails: pageFields.moderation_fails.default('closed'),
  moderate_answers: pageFields.moderate_answers.default(false),
  open_on_paths: pageFields.open_on_paths.default([]),
})

/** Some of the settings; no defaults, because a field that is left out stays as it is. */
export const chatPagePatch = z.object(pageFields).partial()

export type ChatPageSettings = z.output<typeof chatPageSettings>
export type ChatPagePatch = z.output<typeof chatPagePatch>

export const defaultPageSettings: ChatPageSettings = chatPageSettings.parse({})
export const readPageSettings = parsingOnce<ChatPageSettings>(chatPageSettings)
