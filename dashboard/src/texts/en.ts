import { agents } from './en/agents.ts'
import { analytics } from './en/analytics.ts'
import { build } from './en/build.ts'
import { common } from './en/common.ts'
import { confirmation } from './en/confirmation.ts'
import { home } from './en/home.ts'
import { keys } from './en/keys.ts'
import { knowledge } from './en/knowledge.ts'
import { palette } from './en/palette.ts'
import { people } from './en/people.ts'
import { publish } from './en/publish.ts'
import { settings } from './en/settings.ts'
import { chatPage } from './en/chat-page.ts'
import { widget } from './en/widget.ts'
import { look } from './en/look.ts'
import { share } from './en/share.ts'
import { shell } from './en/shell.ts'

/** Every text of the dashboard. Another language is another object of the same shape. */
export const en = {
  common,
  shell,
  palette,
  confirmation,
  home,
  agents,
  keys,
  build,
  knowledge,
  look,
  share,
  chatPage,
  widget,
  people,
  publish,
  analytics,
  settings,
} as const
