import { SITES } from '../../../../apps/apps';
import { PUBLIC_APPS } from '../config';
import { nginxConfig } from './nginx-config';

describe('the configuration of nginx as the edge', () => {
  const upstreams = Object.fromEntries([...PUBLIC_APPS, ...SITES].map(({ name, port }) => [name, `${name}:${port}`]));
  const text = nginxConfig({ port: 8080, upstreams, folder: '/tmp' });

  it('makes nginx write no answer of an app to a file, because its folder has room only for the bodies of requests', () => {
    expect(text.match(/proxy_max_temp_file_size .+;/g)).toEqual(['proxy_max_temp_file_size 0;']);
    expect(text).not.toMatch(/proxy_(cache|store) /);
  });
});
