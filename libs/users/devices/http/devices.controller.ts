import { Body, Get, Header, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AnswerWriter,
  ApiPage,
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
  type HttpResponse,
} from '#access';
import { Clock, ForbiddenError, UnavailableError, type Page } from '#core';
import { DeviceAuthorityCache } from '../authority/device-authority-cache.js';
import { DeviceListService } from '../device-list.service.js';
import { AuthorityNotFoundError, DeviceNotFoundError } from '../device.errors.js';
import { DeviceService } from '../device.service.js';
import { ListDevicesQueryDto, RevokeDeviceDto } from './device.dto.js';
import { CERTIFICATE_EXAMPLE, LIST_EXAMPLE } from './device.examples.js';
import { DeviceResponseDto } from './device-response.dto.js';
import { presentDevice } from './device.presenter.js';
import { acceptsDer, authoritiesFile, CERTIFICATES_PEM, LIST_DER, LIST_PEM, listFile, listsFile } from './pki-files.js';

const NO_AUTHORITY = new AuthorityNotFoundError().message;
const OWN = 'With the scope devices:read:own, only devices of the user behind the credential.';

/** HTTP routes of devices. */
@GovernanceController('v1/devices', 'Devices')
export class DevicesController {
  constructor(
    private readonly devices: DeviceService,
    private readonly lists: DeviceListService,
    private readonly shelf: DeviceAuthorityCache,
    private readonly clock: Clock,
    private readonly answers: AnswerWriter,
  ) {}

  @Get()
  @Requires(['devices:read', 'devices:read:own'])
  @Refuses(400)
  @ApiOperation({
    operationId: 'listDevices',
    summary: 'List devices, newest enrollment first',
    description: OWN,
  })
  @ApiPage(DeviceResponseDto)
  list(@CurrentActor() actor: Actor, @Query() query: ListDevicesQueryDto): Promise<Page<DeviceResponseDto>> {
    const own = onlyOf(actor);
    const { status, cursor, limit, user_id = own } = query;
    if (own !== undefined && user_id?.toLowerCase() !== own) {
      throw new ForbiddenError('This credential may read its own devices only.');
    }
    const now = this.clock.now();
    const wanted = { status, cursor, limit, user_id };
    return this.lists.list(actor.orgId, wanted, device => presentDevice(device, now));
  }

  // This route is declared before the route of a single device, which would otherwise match `crl` as an id.
  @Get('crl')
  @Header('Cache-Control', 'no-cache')
  @Header('Vary', 'Accept')
  @Requires('devices:read')
  @Refuses([404, NO_AUTHORITY])
  @ApiOperation({
    operationId: 'getRevocationList',
    summary: 'Get the revocation lists of the organization’s authorities',
    description:
      'In PEM, one list per valid authority, newest first, as `openssl verify -CRLfile` reads them. In DER, only ' +
      'the list of the newest authority. The next list that you fetch contains every revocation made before.',
  })
  @ApiHeader({
    name: 'accept',
    required: false,
    description: `\`${LIST_DER}\` for DER.`,
    schema: { type: 'string', enum: [LIST_PEM, LIST_DER] },
  })
  @ApiOkResponse({
    description: 'The lists.',
    content: {
      [LIST_PEM]: { schema: { type: 'string' }, example: LIST_EXAMPLE },
      [LIST_DER]: { schema: { type: 'string', format: 'binary' }, example: '(DER)' },
    },
  })
  async revocationList(
    @CurrentActor() { orgId }: Actor,
    @Res() response: HttpResponse,
    @Headers('accept') accept?: string,
  ): Promise<void> {
    const lists = await this.shelf.revocationLists(orgId);
    const [newest] = lists;
    if (!newest) throw new UnavailableError('There is no revocation list yet; try again shortly.');
    this.answers.write(response, acceptsDer(accept) ? listFile(newest) : listsFile(lists));
  }

  @Get('ca')
  @Header('Cache-Control', 'no-cache')
  @Requires('devices:read')
  @Refuses([404, NO_AUTHORITY])
  @ApiOperation({
    operationId: 'getDeviceAuthorities',
    summary: 'Get the certificates of the organization’s authorities',
    description: 'Certificates of the valid authorities, newest first, in PEM. Relying parties must trust them.',
  })
  @ApiOkResponse({
    description: 'The certificates.',
    content: { [CERTIFICATES_PEM]: { schema: { type: 'string' }, example: CERTIFICATE_EXAMPLE } },
  })
  async authorities(@CurrentActor() { orgId }: Actor, @Res() response: HttpResponse): Promise<void> {
    this.answers.write(response, authoritiesFile(await this.shelf.good(orgId)));
  }

  @Get(':id')
  @Requires(['devices:read', 'devices:read:own'])
  @Refuses(404)
  @ApiOperation({ operationId: 'getDevice', summary: 'Get a device', description: OWN })
  @ApiOkResponse({ type: DeviceResponseDto, description: 'The device.' })
  async get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<DeviceResponseDto> {
    const own = onlyOf(actor);
    const device = await this.devices.get(actor.orgId, id);
    // A device of another user gets 404 instead of 403, so that the answer does not reveal whether the device exists.
    if (own !== undefined && device.userId !== own) throw new DeviceNotFoundError();
    return presentDevice(device, this.clock.now());
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @Requires('devices:write')
  @ReadsBody({ optional: true })
  @ApiBody({ type: RevokeDeviceDto, required: false })
  @Refuses(400, 404, [409, 'The device is already revoked; enroll it again to use it.'], 413, 415)
  @ApiOperation({
    operationId: 'revokeDevice',
    summary: 'Revoke a device and all its certificates permanently',
    description:
      'Decisions on every replica apply it within a second, and the next revocation list contains the certificates. With ' +
      '`key_compromise`, every other device that has or had one of its keys is revoked too. A device that was already ' +
      'revoked for another reason gets this reason.',
  })
  @ApiOkResponse({ type: DeviceResponseDto, description: 'The revoked device.' })
  async revoke(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() { reason, crl_reason: code }: RevokeDeviceDto,
  ): Promise<DeviceResponseDto> {
    return presentDevice(await this.devices.revoke(actor, id, { reason, code }), this.clock.now());
  }
}

/** The user whose devices the credential may read. Undefined if it may read every device. */
function onlyOf({ scopes, userId }: Actor): string | undefined {
  if (scopes.has('devices:read')) return undefined;
  if (userId === undefined) {
    throw new ForbiddenError('This credential may read its own devices only, but belongs to no user.');
  }
  return userId.toLowerCase();
}
