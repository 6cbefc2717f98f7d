import { z } from 'zod'
import { type AddAction, formatTime } from '#accounts/account-call.ts'
import type { Board } from '#accounts/boards.ts'
import { maxPictures, type Picture } from '#accounts/pictures.ts'
import type { AccountServices } from '#accounts/services.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { boardBody } from '#contract/accounts/board.ts'
import { newPictureBody } from '#contract/accounts/bodies.ts'
import { ApiError } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import { paths } from '#contract/paths.ts'
import { requirePro } from '../http/serve-data.ts'

const sentChart = z.object({ chart: z.unknown() })

export function addShared(add: AddAction, services: AccountServices): void {
  const { pictures, boards } = services

  add(accountActions.pictures, async (call) =>
    (await pictures.list((await call.signedIn()).account.id)).map((picture) =>
      describePicture(picture, call.request.serviceUrl),
    ),
  )
  add(accountActions.createPicture, async (call) => {
    const { account } = await call.signedIn()
    requirePro(call.request.caller, paths.picture)
    const { name } = parseBody(newPictureBody, call.body)
    // Stored as sent, since it is parsed again for each request of the picture.
    const { chart } = sentChart.parse(call.body)
    const picture = await pictures.add(account.id, name, chart)
    if (picture) return [describePicture(picture, call.request.serviceUrl)]
    throw new ApiError('forbidden', `an account can have at most ${maxPictures} picture links: remove one first`)
  })
  add(accountActions.removePicture, async (call) => {
    const { account } = await call.signedIn()
    const id = call.parameter('id')
    if (await pictures.remove(account.id, id)) return [{ id }]
    throw new ApiError('not_found', 'this account has no such picture: /v1/pictures lists them')
  })

  const describeBoard = async (accountId: number): Promise<(Board['content'] & Pick<Board, 'share'>)[]> => {
    const { content, share } = await boards.read(accountId)
    return [{ ...content, share }]
  }
  add(accountActions.board, async (call) => describeBoard((await call.signedIn()).account.id))
  add(accountActions.writeBoard, async (call) => {
    const { account } = await call.signedIn()
    await boards.write(account.id, parseBody(boardBody, call.body))
    return describeBoard(account.id)
  })
  add(accountActions.shareBoard, async (call) => {
    const { account } = await call.signedIn()
    await boards.share(account.id)
    return describeBoard(account.id)
  })
  add(accountActions.unshareBoard, async (call) => {
    const { account } = await call.signedIn()
    await boards.unshare(account.id)
    return describeBoard(account.id)
  })
  add(accountActions.sharedBoard, async (call) => {
    const content = await boards.findShared(call.parameter('share'))
    if (content) return [content]
    throw new ApiError('not_found', 'this board is not shared, or no longer shared: ask its owner')
  })
}

const describePicture = ({ id, name, created_at }: Picture, address: string) => ({
  id,
  name,
  created_at: formatTime(created_at),
  png_url: `${address}${paths.picture.replace('{file}', `${id}.png`)}`,
  svg_url: `${address}${paths.picture.replace('{file}', `${id}.svg`)}`,
})
