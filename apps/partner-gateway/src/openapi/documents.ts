import { previewDocuments } from '@tandem/service-defaults';
import { AppModule } from '../app.module';
import { PartnerGatewayConfig } from '../config';
import { MANAGER_API, PARTNER_API } from './api.documents';

const FILES = { 'docs/openapi/partner-api.json': PARTNER_API, 'docs/openapi/manager-api.json': MANAGER_API };

/** The checked-in documents: path from the repository's root → content. */
export async function generatedDocuments(): Promise<Map<string, string>> {
  const config = Object.assign(new PartnerGatewayConfig(), { DATABASE_URL: 'postgres://127.0.0.1/tandem' });
  const documents = await previewDocuments(AppModule.register(config), Object.values(FILES));
  return new Map(Object.keys(FILES).map((file, index) => [file, `${JSON.stringify(documents[index], null, 2)}\n`]));
}
