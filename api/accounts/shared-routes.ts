import { accountActions } from '#contract/accounts/actions.ts'
import { boardBody } from '#contract/accounts/board.ts'
import { newPictureBody } from '#contract/accounts/bodies.ts'
import { paths } from '#contract/paths.ts'
import { ApiError } from '../api-error.ts'
import { requirePro } from '../http/serve-data.ts'
import { parseBody } from '../parse-body.ts'
import type { Board } from './boards.ts'
import { type AccountDesk, isoTime } from './desk.ts'
import { mostPictures, type Picture } from './pictures.ts'

/** Adds what people show to others: addresses of pictures, and the board that they keep. */
export function addShared(desk: AccountDesk): void {
  const { pictures, boards, calls } = desk.services

  desk.add(accountActions.pictures, (request) =>
    pictures.list(desk.signedIn(request).account.id).map((picture) => shownPicture(picture, desk.addressIn(request))),
  )
  desk.add(accountActions.createPicture, (request) => {
    const { account } = desk.signedIn(request)
    requirePro(calls.of(request).caller, paths.picture)
    const { name } = parseBody(newPictureBody, request.body)
    if (pictures.list(account.id).length >= mostPictures) {
      throw new ApiError('forbidden', `an account can have at most ${mostPictures} picture links: remove one first`)
    }
    // What was sent, as it is read again each time that the picture is asked for.
    const { chart } = request.body
    return [shownPicture(pictures.add(account.id, name, chart), desk.addressIn(request))]
  })
  desk.add(accountActions.removePicture, (request) => {
    const { account } = desk.signedIn(request)
    const id = String(request.params.id)
    if (pictures.remove(account.id, id)) return [{ id }]
    throw new ApiError('not_found', 'this account has no such picture: /v1/pictures lists them')
  })

  const shownBoard = (accountId: number): (Board['content'] & Pick<Board, 'share'>)[] => {
    const { content, share } = boards.read(accountId)
    return [{ ...content, share }]
  }
  desk.add(accountActions.board, (request) => shownBoard(desk.signedIn(request).account.id))
  desk.add(accountActions.writeBoard, (request) => {
    const { account } = desk.signedIn(request)
    boards.write(account.id, parseBody(boardBody, request.body))
    return shownBoard(account.id)
  })
  desk.add(accountActions.shareBoard, (request) => {
    const { account } = desk.signedIn(request)
    boards.share(account.id)
    return shownBoard(account.id)
  })
  desk.add(accountActions.unshareBoard, (request) => {
    const { account } = desk.signedIn(request)
    boards.unshare(account.id)
    return shownBoard(account.id)
  })
  desk.add(accountActions.sharedBoard, (request) => {
    const content = boards.shared(String(request.params.share))
    if (content) return [content]
    throw new ApiError('not_found', 'this board is not shared, or no longer shared: ask its owner')
  })
}

const shownPicture = ({ id, name, created_at }: Picture, address: string) => ({
  id,
  name,
  created_at: isoTime(created_at),
  png_url: `${address}${paths.picture.replace('{file}', `${id}.png`)}`,
  svg_url: `${address}${paths.picture.replace('{file}', `${id}.svg`)}`,
})
