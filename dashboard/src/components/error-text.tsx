import { Link, useLocation } from '@tanstack/react-router'
import { addFactorPath } from '#api/add-factor-path.ts'
import { t } from '#texts/t.ts'
import { fixOf, type Fix } from './fix-of.ts'
import { messageOf } from './message-of.ts'

/** The sentence of an error, with a link to the page that fixes it. */
export function ErrorText({ error }: { readonly error: unknown }) {
  const fix = fixOf(error)
  return (
    <>
      {messageOf(error)}
      {fix !== null && (
        <>
          {' '}
          <FixLink fix={fix} />
        </>
      )}
    </>
  )
}

const style = 'font-medium whitespace-nowrap underline underline-offset-2'

/** Nothing on the page itself. */
export function FixLink({ fix: { to, label } }: { readonly fix: Fix }) {
  const here = useLocation({ select: ({ pathname }) => pathname })
  if (here === to) return null
  const text = t(`common.error.fixes.${label}`)
  // The pages of the account are not part of the dashboard; this one leads back.
  if (to === '/account/second-factor')
    return (
      <a href={addFactorPath()} className={style}>
        {text}
      </a>
    )
  return (
    <Link to={to} className={style}>
      {text}
    </Link>
  )
}
