export { toolServerFaults } from './tool-server-faults.ts'
export { addToolServer, maxToolServers } from './add-tool-server.ts'
export { listToolServers } from './list-tool-servers.ts'
export { knownRemoteNames, offerRemoteTools, remoteNameSeparator } from './offer-remote-tools.ts'
export {
  addPreparedToolServers,
  prepareToolServer,
  readPortableToolServers,
  type PortableToolServer,
  type PreparedToolServer,
} from './portable-tool-servers.ts'
export { removeToolServer } from './remove-tool-server.ts'
export { toolServerName, type ToolServer } from './tool-server.ts'
