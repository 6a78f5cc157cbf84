{{- define "parley.name" -}}
{{- if contains "parley" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-parley" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "parley.selector" -}}
app.kubernetes.io/name: parley
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "parley.labels" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "parley.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "parley.secretName" -}}
{{ .Values.existingSecret | default (include "parley.name" .) }}
{{- end }}

{{- define "parley.isPostgres" -}}
{{- if eq .Values.database.engine "postgres" }}true{{ end }}
{{- end }}

{{- define "parley.hasSeveral" -}}
{{- if or (gt (int .Values.replicas) 1) .Values.autoscaling.enabled }}true{{ end }}
{{- end }}

{{/* What SQLite, and PostgreSQL without its settings, cannot do. */}}
{{- define "parley.check" -}}
{{- $secret := .Values.existingSecret }}
{{- if include "parley.isPostgres" . }}
{{- if not (or .Values.database.url $secret) }}{{ fail "database.engine postgres requires database.url, or an existingSecret with DATABASE_URL" }}{{ end }}
{{- if not (or .Values.secretKey $secret) }}{{ fail "database.engine postgres requires secretKey, or an existingSecret with SECRET_KEY: openssl rand -hex 32" }}{{ end }}
{{- else }}
{{- if include "parley.hasSeveral" . }}{{ fail "SQLite serves exactly one replica: set replicas to 1 and autoscaling.enabled to false, or database.engine to postgres" }}{{ end }}
{{- if gt (int .Values.workers) 1 }}{{ fail "SQLite serves one process: set workers to 1, or database.engine to postgres" }}{{ end }}
{{- if .Values.database.url }}{{ fail "database.url is set: set database.engine to postgres" }}{{ end }}
{{- end }}
{{- if and $secret (or .Values.secretKey .Values.database.url .Values.secretEnv) }}{{ fail "existingSecret replaces the chart's Secret: put secretKey, database.url and secretEnv into it" }}{{ end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}{{ fail "ingress.enabled requires ingress.host" }}{{ end }}
{{- if not (include "parley.baseUrl" .) }}{{ fail "set baseUrl, or ingress.host" }}{{ end }}
{{- end }}

{{- define "parley.baseUrl" -}}
{{- if .Values.baseUrl }}{{ .Values.baseUrl }}{{ else if .Values.ingress.host }}https://{{ .Values.ingress.host }}{{ end }}
{{- end }}

{{/* Settings and secrets are read when a process starts, so a change of them replaces the pods. */}}
{{- define "parley.checksums" -}}
checksum/config: {{ include (print $.Template.BasePath "/configmap.yaml") . | sha256sum }}
checksum/secret: {{ include (print $.Template.BasePath "/secret.yaml") . | sha256sum }}
{{- end }}

{{- define "parley.environment" -}}
- configMapRef:
    name: {{ include "parley.name" . }}
- secretRef:
    name: {{ include "parley.secretName" . }}
    # With SQLite and no secrets, there is none.
    optional: {{ not (include "parley.isPostgres" .) }}
{{- end }}

{{- define "parley.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "parley.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "parley.claim" -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ .name }}
  labels:
    {{- include "parley.labels" .root | nindent 4 }}
  annotations:
    # `helm uninstall` keeps the data.
    helm.sh/resource-policy: keep
spec:
  accessModes: [ReadWriteOnce]
  {{- with .values.storageClass }}
  storageClassName: {{ . | quote }}
  {{- end }}
  resources:
    requests:
      storage: {{ .values.size }}
{{- end }}
