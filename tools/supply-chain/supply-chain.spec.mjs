import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inRoot } from '../stack/paths.mjs';
import { imagesIn } from './image-references.mjs';

const DIGEST = `sha256:${'a1'.repeat(32)}`;
const DOCKERFILE = `ARG NODE_IMAGE=node:24-bookworm-slim
FROM \${NODE_IMAGE} AS build
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS run
FROM build AS app
`;
const CONSOLE = 'FROM node:24-bookworm-slim AS site\nFROM nginxinc/nginx-unprivileged:1.28.0\nCOPY --from=site /a /b\n';
const COMPOSE = `services:
  postgres:
    image: postgres:17-bookworm # data
  broker: { image: 'ignored' }
  kafka:
    image: apache/kafka:3.9.2
  gateway:
    image: tandem/partner-gateway:0.1.0
`;

describe('npm run pin-images', () => {
  let root;
  beforeAll(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'tandem-pin-'));
    fs.mkdirSync(path.join(root, 'bin'));
    fs.mkdirSync(path.join(root, 'k8s/base'), { recursive: true });
    fs.writeFileSync(path.join(root, 'Dockerfile'), DOCKERFILE);
    fs.mkdirSync(path.join(root, 'apps/console/image'), { recursive: true });
    fs.writeFileSync(path.join(root, 'apps/console/image/Dockerfile'), CONSOLE);
    fs.writeFileSync(path.join(root, 'docker-compose.yml'), COMPOSE);
    fs.writeFileSync(path.join(root, 'k8s/base/job.yaml'), '      - image: registry.local:5000/a/b:1.2\n');
    fs.writeFileSync(path.join(root, 'k8s/base/cluster.yaml'), '  imageName: ghcr.io/cloudnative-pg/postgresql:17.6\n');
    // A replacement for docker that answers with a digest, and records its arguments.
    const docker = `#!/bin/sh\necho "$@" >> ${root}/asked\necho ${DIGEST}\n`;
    fs.writeFileSync(path.join(root, 'bin/docker'), docker, { mode: 0o755 });
  });
  afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

  const run = (...args) =>
    spawnSync(process.execPath, [inRoot('tools/supply-chain/pin-images.mjs'), '--root', root, ...args], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${root}/bin:${process.env.PATH}` },
    });
  const read = (name) => fs.readFileSync(path.join(root, name), 'utf8');

  it('fails with --check, and names the images that are not pinned', () => {
    const { status, stdout } = run('--check');
    expect(status).toBe(1);
    expect(stdout.trim().split('\n')).toEqual([
      'Dockerfile: node:24-bookworm-slim',
      'Dockerfile: node:24-bookworm-slim',
      'apps/console/image/Dockerfile: node:24-bookworm-slim',
      'apps/console/image/Dockerfile: nginxinc/nginx-unprivileged:1.28.0',
      'docker-compose.yml: postgres:17-bookworm',
      'docker-compose.yml: apache/kafka:3.9.2',
      'k8s/base/cluster.yaml: ghcr.io/cloudnative-pg/postgresql:17.6',
      'k8s/base/job.yaml: registry.local:5000/a/b:1.2',
    ]);
  });

  it('appends the digest to each tag except those of our own images, with one query for each image', () => {
    const { status, stderr } = run();
    expect([stderr, status]).toEqual([stderr, 0]);
    expect(read('Dockerfile')).toMatch(new RegExp(`ARG NODE_IMAGE=node:24-bookworm-slim@${DIGEST}\n`));
    expect(read('Dockerfile')).toMatch(new RegExp(`node:24-bookworm-slim@${DIGEST} AS run\nFROM build AS app\n`));
    expect(read('docker-compose.yml')).toMatch(new RegExp(`postgres:17-bookworm@${DIGEST} # data\n`));
    expect(read('docker-compose.yml')).toMatch(/tandem\/partner-gateway:0\.1\.0\n/);
    expect(read('asked').trim().split('\n').length).toBe(6);
    expect(imagesIn(read('apps/console/image/Dockerfile')).map(({ pinned }) => pinned)).toEqual([true, true]);
    expect(run('--check').status).toBe(0);
  });

  it('removes the digests again with --unpin', () => {
    expect(run('--unpin').status).toBe(0);
    expect(read('Dockerfile')).toBe(DOCKERFILE);
    expect(read('docker-compose.yml')).toBe(COMPOSE);
    expect(read('apps/console/image/Dockerfile')).toBe(CONSOLE);
  });

  it('finds the image of Postgres in this repository', () => {
    const names = ['Dockerfile', 'docker-compose.yml'].filter((name) => fs.existsSync(inRoot(name)));
    const images = names.flatMap((name) => imagesIn(fs.readFileSync(inRoot(name), 'utf8')));
    expect([JSON.stringify(images), Boolean(images.some(({ image }) => /^postgres:17/.test(image)))]).toEqual([
      JSON.stringify(images),
      true,
    ]);
  });
});

describe('npm run sbom', () => {
  it('writes the components of an image with their licenses, and names the image as the subject', () => {
    const file = inRoot('sbom/discovery.cdx.json');
    const { status, stderr } = spawnSync(process.execPath, [inRoot('tools/supply-chain/sbom.mjs'), 'discovery'], {
      encoding: 'utf8',
    });
    expect([stderr, status]).toEqual([stderr, 0]);
    const bom = JSON.parse(fs.readFileSync(file, 'utf8'));
    expect([bom.bomFormat, bom.metadata.component.name]).toEqual(['CycloneDX', 'tandem/discovery']);
    const fastify = bom.components.find(({ name }) => name === 'fastify');
    expect(fastify.licenses[0].license.id).toBe('MIT');
    expect(bom.components.some(({ name }) => ['jest', 'nx', 'typescript'].includes(name))).toBe(false);
  });

  it('lists the packages that are bundled into the console, and no packages of services', () => {
    const { status, stderr } = spawnSync(process.execPath, [inRoot('tools/supply-chain/sbom.mjs'), 'console'], {
      encoding: 'utf8',
    });
    expect([stderr, status]).toEqual([stderr, 0]);
    const { metadata, components } = JSON.parse(fs.readFileSync(inRoot('sbom/console.cdx.json'), 'utf8'));
    expect(metadata.component.name).toBe('tandem/console');
    const names = components.map(({ group, name }) => (group ? `${group}/${name}` : name));
    expect(names).toEqual(expect.arrayContaining(['react', 'react-router', 'oidc-client-ts', '@mantine/core']));
    expect(names.filter((name) => ['fastify', 'pg', '@nestjs/core', 'jest'].includes(name))).toEqual([]);
  });

  it('refuses an image that does not exist', () => {
    const { status, stderr } = spawnSync(process.execPath, [inRoot('tools/supply-chain/sbom.mjs'), 'nothing'], {
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/there is no image nothing; there are partner-gateway, /);
  });
});
