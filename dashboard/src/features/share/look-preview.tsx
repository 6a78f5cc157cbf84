import { useDeferredValue, useEffect, useState } from 'react'
import type { OutputOf } from '#api/call-operation.ts'
import { useMe } from '#api/me.ts'
import { useOperation } from '#api/use-operation.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { Notice } from '#ui/surfaces.tsx'
import { widgetIcons } from '#chat/widget-icons.ts'
import type { ChatPage, FieldsProps } from './chat-page-fields.tsx'
import { previewAddress } from './preview-address.ts'
import { sandbox, usePreviewFrame } from './use-preview-frame.ts'

type Preview = OutputOf<'preview_chat_page_look'>

/** The page with the look that is chosen, before it is saved, and which of its colours are hard to tell apart. */
export function LookPreview({
  page,
  value,
}: Pick<FieldsProps, 'value'> & { readonly page: ChatPage }) {
  const { color, header_color, background_color, font, corner_radius } = useDeferredValue(value)
  const look = { color, header_color, background_color, font, corner_radius }
  const { data } = useOperation('preview_chat_page_look', { app_id: page.app_id, ...look })
  const [latest, setLatest] = useState<Preview>()
  if (data !== undefined && data !== latest) setLatest(data)
  // Until the next answer arrives, the one before stays.
  const shown = data ?? latest
  return (
    <div className="flex max-w-lg flex-col gap-4">
      {shown !== undefined && <Contrasts pairs={shown.pairs} />}
      {page.enabled ? (
        <Framed page={page} value={value} variables={shown?.variables} />
      ) : (
        <Notice>{t('look.noPreview')}</Notice>
      )}
    </div>
  )
}

function Contrasts({ pairs }: Pick<Preview, 'pairs'>) {
  const weak = pairs.filter(({ ratio, needed }) => ratio < needed)
  if (weak.length === 0) return <Notice tone="good">{t('look.readable')}</Notice>
  return (
    <Notice tone="warn" title={t('look.unreadable')}>
      <ul className="list-disc ps-5">
        {weak.map(({ pair, ratio, needed }) => (
          <li key={pair}>
            {t(`look.pairs.${pair}`)}:{' '}
            {t('look.ratio', { ratio: String(ratio), needed: String(needed) })}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

const themes = ['light', 'dark'] as const

interface FramedProps extends Pick<FieldsProps, 'value'> {
  readonly page: ChatPage
  readonly variables: Preview['variables'] | undefined
}

/** The page in a frame. It shows what is sent to it, and reports when it is ready. */
function Framed({ page, value, variables }: FramedProps) {
  const { name, app_name_id, greeting: ofAgent } = useAgent()
  const { base_url: baseUrl } = useMe()
  const frame = usePreviewFrame()
  const [theme, setTheme] = useState<(typeof themes)[number]>('light')
  const [readyTimes, setReadyTimes] = useState(0)
  const { title, logo, greeting, disclaimer } = value
  useEffect(() => {
    const hear = ({ source, data }: MessageEvent<{ parley?: string } | undefined>) => {
      if (source === frame.current?.contentWindow && data?.parley === 'preview')
        setReadyTimes((before) => before + 1)
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [frame])
  useEffect(() => {
    if (variables === undefined || readyTimes === 0) return
    const look = { parley: 'look', variables, theme, name: title || name, logo, disclaimer }
    // The page has an opaque origin, which no target can name.
    frame.current?.contentWindow?.postMessage({ ...look, greeting: greeting || ofAgent }, '*')
  }, [frame, variables, readyTimes, theme, title, name, logo, greeting, ofAgent, disclaimer])
  const address = previewAddress(page, app_name_id, baseUrl ?? location.origin)
  return (
    <div className="flex flex-col gap-3">
      <div role="group" aria-label={t('look.shownAs')} className="flex gap-2">
        {themes.map((one) => (
          <Button key={one} aria-pressed={one === theme} onClick={() => setTheme(one)}>
            {t(`chatPage.themes.${one}`)}
          </Button>
        ))}
      </div>
      <iframe
        ref={frame}
        src={address}
        title={t('chatPage.preview')}
        sandbox={sandbox}
        className="h-136 w-full rounded-xl border border-line"
      />
      <Launcher value={value} variables={variables} />
      <p className="text-sm text-soft">
        {t('look.previewHint')}
        {page.access === 'openid' && ` ${t('chatPage.previewOpenId')}`}
      </p>
    </div>
  )
}

/** The button of the widget below its window, on the side that is chosen. */
function Launcher({ value, variables }: Omit<FramedProps, 'page'>) {
  const { widget_icon: icon, widget_side: side } = value
  return (
    <div className={classNames('flex', side === 'end' ? 'justify-end' : 'justify-start')}>
      <svg
        role="img"
        aria-label={t('look.launcher')}
        viewBox="-12 -12 48 48"
        className="size-14 rounded-full fill-none stroke-2 shadow-lg [stroke-linecap:round] [stroke-linejoin:round]"
        style={{ background: variables?.['--accent'], stroke: variables?.['--on-accent'] }}
      >
        <path d={widgetIcons[icon]} />
      </svg>
    </div>
  )
}
