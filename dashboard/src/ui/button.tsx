import { useRender } from '@base-ui/react/use-render'
import { LoaderCircle } from '#ui/icons.ts'
import type { ComponentProps, ReactElement, ReactNode } from 'react'
import { classNames } from './class-names.ts'

type Look = 'primary' | 'plain' | 'quiet' | 'danger'
type Size = 'small' | 'medium' | 'icon'

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly look?: Look
  readonly size?: Size
  /** Shows progress and ignores clicks. */
  readonly busy?: boolean
  /** Renders another element in place of the button, such as a link that looks like one. */
  readonly render?: ReactElement
  readonly children: ReactNode
}

const base =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0'

const looks: Readonly<Record<Look, string>> = {
  primary: 'bg-accent text-on-accent not-disabled:hover:bg-accent-strong',
  plain:
    'border border-line bg-card text-ink shadow-xs not-disabled:hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-ground aria-pressed:text-accent',
  quiet: 'text-soft not-disabled:hover:bg-hover not-disabled:hover:text-ink',
  danger: 'bg-bad-strong text-on-bad not-disabled:hover:opacity-90',
}

const sizes: Readonly<Record<Size, string>> = {
  small: 'h-8 px-3 text-[0.8125rem]',
  medium: 'h-9 px-4 text-sm',
  icon: 'size-9 text-sm',
}

export function Button({
  look = 'plain',
  size = 'medium',
  busy = false,
  render,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  const isButton = render === undefined
  return useRender({
    defaultTagName: 'button',
    ...(isButton ? {} : { render }),
    props: {
      ...(isButton ? { type: 'button', disabled: disabled === true || busy } : {}),
      'aria-busy': busy || undefined,
      ...rest,
      className: classNames(base, looks[look], sizes[size], className),
      children: (
        <>
          {busy && <LoaderCircle className="animate-spin" aria-hidden />}
          {children}
        </>
      ),
    },
  })
}
