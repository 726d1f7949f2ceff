import { describedFields, ViewOf } from '@tandem/http-api';
import { getMetadataArgsStorage } from 'typeorm';
import { AuditEntryDto } from '../src/audit/audit.dto';
import { AuditEntry } from '../src/audit/audit.entity';
import { PromotionDto } from '../src/promotion/promotion.dto';
import { Promotion } from '../src/promotion/promotion.entity';
import { SaleDto } from '../src/sale/sale.dto';
import { Sale } from '../src/sale/sale.entity';
import { TokenDto } from '../src/token/token.dto';
import { PartnerToken } from '../src/token/token.entity';

describe('the manager’s view of a row', () => {
  const views = [
    ['token', PartnerToken, TokenDto],
    ['promotion', Promotion, PromotionDto],
    ['sale', Sale, SaleDto],
    ['audit entry', AuditEntry, AuditEntryDto],
  ] as const;

  it.each(views)('omits a column that is added to a %s later [admin.lists]', (_name, Row, { of }) => {
    const row = Object.assign(new Row(), { newColumn: 'private' });
    expect(of(row as never)).not.toHaveProperty('newColumn');
  });

  it.each([
    ['token', PartnerToken, ['seq', 'hash']],
    ['promotion', Promotion, ['seq']],
    ['sale', Sale, ['seq', 'version', 'attributedAt', 'emailHash', 'createdAt', 'updatedAt']],
    ['audit entry', AuditEntry, ['seq']],
  ])('contains every column of a %s except those that are hidden on purpose', (_name, Row, hidden) => {
    const columns = getMetadataArgsStorage()
      .filterColumns(Row)
      .map(({ propertyName }) => propertyName);
    expect(columns.sort()).toEqual([...describedFields(Row), ...hidden].sort());
  });

  it('cannot hide a property that has a field decorator', () => {
    expect(() => ViewOf(PartnerToken, { hidden: ['hash', 'last4'] })).toThrow('PartnerToken describes last4');
  });

  it('has exactly 12 fields for a token, without the token text and its hash [admin.lists]', () => {
    expect(Object.keys(TokenDto.of(new PartnerToken()))).toEqual([
      ...['id', 'partnerId', 'name', 'environment', 'scopes', 'last4'],
      ...['expiresAt', 'revokedAt', 'replacedBy', 'portalLinkId', 'lastUsedAt', 'createdAt'],
    ]);
  });

  it('has exactly 7 fields for a promotion [admin.lists]', () => {
    expect(Object.keys(PromotionDto.of(new Promotion()))).toEqual([
      ...['id', 'partnerId', 'code', 'percentOff', 'active', 'deactivatedAt', 'createdAt'],
    ]);
  });

  it('has exactly 25 fields for a sale, without the hash of the e-mail address [admin.lists]', () => {
    expect(Object.keys(SaleDto.of(new Sale()))).toEqual([
      ...['oid', 'status', 'partnerId', 'promotionId', 'environment', 'sharedId', 'attributedBy', 'unattributedReason'],
      ...['paymentStatus', 'soldAt', 'amount', 'currency', 'items', 'emailMasked', 'closedBy', 'closedAt'],
      ...[
        'holdReason',
        'holdEvidence',
        'holdDecision',
        'holdNote',
        'failureReason',
        'qualifiedAt',
        'revokedAt',
        'revokeReason',
        'revokeNote',
      ],
    ]);
  });

  it('takes exactly 8 fields from the row of an audit entry [admin.lists]', () => {
    expect(Object.keys(AuditEntryDto.of(new AuditEntry()))).toEqual([
      ...['at', 'actor', 'requestId', 'action', 'entity', 'entityId', 'before', 'after'],
    ]);
  });
});
