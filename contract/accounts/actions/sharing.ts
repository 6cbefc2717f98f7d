import { z } from 'zod'
import { boardBody, boardRow } from '../board.ts'
import { newPictureBody } from '../bodies.ts'
import { pictureRow } from '../rows.ts'
import { create, get, idPath, list, post, remove, removedRow } from './defaults.ts'

const sharePath = z.object({ share: z.string().meta({ example: 'AbCdEfGhIjKlMnOpQrStUvWx' }) })

export const sharingActions = {
  pictures: list('/v1/pictures', 'Public addresses of charts of the account, newest first', pictureRow),
  createPicture: create(
    '/v1/pictures',
    'Create a public address of a chart for other sites, with the rights and limits of the account, valid until it is removed; needs tier pro',
    pictureRow,
    { body: newPictureBody },
  ),
  removePicture: remove('/v1/pictures/{id}', 'Remove the address of a picture for good', removedRow, {
    pathParameters: idPath('AbCdEfGhIjKlMnOpQrStUvWx'),
  }),
  board: get('/v1/board', 'The board of the account: addresses of charts on pages of this service', boardRow),
  writeBoard: post('/v1/board', 'Replace the board', boardRow, { body: boardBody, bodySize: '128kb' }),
  shareBoard: post(
    '/v1/board/share',
    'Create a new share link to the board, which viewers see with their own rights; it replaces the older one',
    boardRow,
    { status: 201 },
  ),
  unshareBoard: remove('/v1/board/share', 'Stop sharing the board', boardRow),
  sharedBoard: get('/v1/boards/{share}', 'A board that somebody shares; needs no account', boardBody, {
    pathParameters: sharePath,
  }),
} as const
