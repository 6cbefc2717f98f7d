import type { FunctionComponent } from 'preact'
import { useAnswer } from './use-answer.tsx'

/** Loads a component's script when first shown. */
export function lazy<Props extends object>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> {
  let known: FunctionComponent<Props> | undefined
  return function Lazy(props: Props) {
    const { value: Loaded = known, failure = null } = useAnswer(load, [])
    known = Loaded
    if (Loaded) return <Loaded {...props} />
    return failure
  }
}
