import { previewDocuments } from '@tandem/service-defaults';
import { AppModule } from '../app.module';
import { IdpApiConfig } from '../config';
import { CLIENT_API } from './client-api.document';

/** The checked-in document: path from the repository's root → content. */
export async function generatedDocuments(): Promise<Map<string, string>> {
  const config = Object.assign(new IdpApiConfig(), { DATABASE_URL: 'postgres://127.0.0.1/tandem' });
  const [document] = await previewDocuments(AppModule.register(config), [CLIENT_API]);
  return new Map([['docs/openapi/client-api.json', `${JSON.stringify(document, null, 2)}\n`]]);
}
