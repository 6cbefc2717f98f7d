import { useTitle } from '../../app/title.ts'
import { CostBasis } from './cost-basis.tsx'
import { Matrix } from './matrix.tsx'

export function Cohorts() {
  useTitle('Cohorts')
  return (
    <>
      <h1>Cohorts</h1>
      <p class="lead">
        Coins by age, size, script type or origin. Long-term holders have kept theirs for about five months or more;
        young coins change hands and show what recent buyers paid.
      </p>
      <Matrix />
      <CostBasis />
    </>
  )
}
