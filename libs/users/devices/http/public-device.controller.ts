import { Body, Get, Header, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AnswerWriter,
  CurrentVisitor,
  GovernanceController,
  Open,
  Refuses,
  ResourceId,
  type HttpResponse,
  type Visitor,
} from '#access';
import { Clock, NotFoundError } from '#core';
import { DeviceAuthorityCache } from '../authority/device-authority-cache.js';
import { DeviceEnroller } from '../enroll/device-enroller.js';
import { DeviceRenewal } from '../enroll/device-renewal.js';
import { EnrollDeviceDto, RenewDeviceDto } from './device.dto.js';
import { DeviceWithCertificateResponseDto } from './device-response.dto.js';
import { presentWithCertificate } from './device.presenter.js';
import { LIST_DER, listFile } from './pki-files.js';

const SUSPENDED = 'The user is suspended; only devices of active users are enrolled and renewed.';

/** Routes without an access token, for devices and for programs that verify their certificates. */
@GovernanceController('v1/devices', 'Devices')
export class PublicDeviceController {
  constructor(
    private readonly enroller: DeviceEnroller,
    private readonly renewal: DeviceRenewal,
    private readonly authorities: DeviceAuthorityCache,
    private readonly clock: Clock,
    private readonly answers: AnswerWriter,
  ) {}

  @Post('enroll')
  @Open()
  @Refuses(
    400,
    [401, 'The enrollment token has already been used; ask for a new one.'],
    403,
    [409, SUSPENDED],
    413,
    415,
  )
  @ApiOperation({
    operationId: 'enrollDevice',
    summary: 'Enroll a device; the enrollment token is the credential',
    description:
      'Only a successful enrollment consumes the token. If two devices send it at the same time, one is refused.',
  })
  @ApiCreatedResponse({ type: DeviceWithCertificateResponseDto, description: 'The device with its certificate.' })
  async enroll(
    @CurrentVisitor() visitor: Visitor,
    @Body() body: EnrollDeviceDto,
  ): Promise<DeviceWithCertificateResponseDto> {
    return presentWithCertificate(await this.enroller.enroll(visitor, body.token, body.csr), this.clock.now());
  }

  @Post(':id/renew')
  @Open()
  @Refuses(400, [401, 'The device is revoked; enroll it anew.'], 403, 404, [409, SUSPENDED], 413, 415)
  @ApiOperation({
    operationId: 'renewDevice',
    summary: 'Issue a certificate for a new key of a device; its current key is the credential',
    description:
      'The previous certificate remains valid until it expires. If you missed the answer, send the same request again: you ' +
      'get the same certificate.',
  })
  @ApiCreatedResponse({ type: DeviceWithCertificateResponseDto, description: 'The device with its new certificate.' })
  async renew(
    @CurrentVisitor() visitor: Visitor,
    @ResourceId() id: string,
    @Body() { csr, proof }: RenewDeviceDto,
  ): Promise<DeviceWithCertificateResponseDto> {
    const renewed = await this.renewal.renew(visitor, id, csr, Buffer.from(proof, 'base64'));
    return presentWithCertificate(renewed, this.clock.now());
  }

  @Get('authorities/:id/crl')
  @Header('Cache-Control', 'no-cache')
  @Open()
  @Refuses(404)
  @ApiOperation({
    operationId: 'getRevocationListOfAuthority',
    summary: 'Get the public revocation list of an authority, to which its certificates point',
  })
  @ApiOkResponse({
    description: 'The list in DER.',
    content: { [LIST_DER]: { schema: { type: 'string', format: 'binary' }, example: '(DER)' } },
  })
  async list(@ResourceId() id: string, @Res() response: HttpResponse): Promise<void> {
    const list = await this.authorities.revocationListOf(id);
    if (!list) throw new NotFoundError('No authority with this id has a revocation list.');
    this.answers.write(response, listFile(list));
  }
}
