import { Component, type ReactNode } from 'react'

interface PlainOnErrorProps {
  /** Shown if the children cannot be rendered. */
  readonly plain: ReactNode
  readonly children: ReactNode
}

/** Keeps a text that its renderer fails at from replacing the whole page with an error. */
export class PlainOnError extends Component<PlainOnErrorProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.plain : this.props.children
  }
}
