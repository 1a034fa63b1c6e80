(* Gaussian noise on n coordinates, for every n: what lies beyond t standard deviations in a direction has probability
   at most exp(-t^2/2)/2, and noise of deviation sigma hides a change of Euclidean norm s up to (eps, exp(-t^2/2)/2)
   where t = eps sigma/s - s/(2 sigma). Only translations and the reflection are used, no value of an integral. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section gaussian.
Variables (R : realType) (n : nat) (sigma : R).
Hypothesis sigma0 : 0 < sigma.

Definition gaussian_weight (x : space R n) : R := expR (- (squared_norm x / (2%:R * sigma ^+ 2))).
Definition gaussian_total : \bar R := (\int[lebesgue R n]_x (gaussian_weight x)%:E)%E.
(* the density exp(-|x|^2 / (2 sigma^2)) over its integral *)
Definition gaussian_density (x : space R n) : R := (fine gaussian_total)^-1 * gaussian_weight x.
Definition gaussian_noise (x : space R n) : \bar R := (gaussian_density x)%:E.

Lemma gaussian_total_ge0 : (0 <= gaussian_total)%E.
Proof. by apply: integral_ge0 => x _; exact: expR_ge0E. Qed.
Lemma density_ge0 x : 0 <= gaussian_density x.
Proof. by rewrite mulr_ge0 ?invr_ge0 ?fine_ge0 ?gaussian_total_ge0// ltW// expR_gt0. Qed.
Lemma gaussian_ge0 x : (0 <= gaussian_noise x)%E. Proof. by rewrite lee_fin density_ge0. Qed.
Lemma measurable_weight : measurable_fun setT gaussian_weight.
Proof.
have h : measurable_fun setT (fun x : space R n => - (squared_norm x / (2%:R * sigma ^+ 2))).
  by apply: measurable_funN; apply: measurable_funM; [exact: measurable_squared_norm | exact: measurable_fun_cst].
exact: (measurable_fun_comp (@measurable_expR R) h).
Qed.
Lemma measurable_gaussian : measurable_fun setT gaussian_noise.
Proof.
apply: measurable_fun_comp; first exact: measurable_fun_EFin.
by apply: measurable_funM; [exact: measurable_fun_cst | exact: measurable_weight].
Qed.
Lemma gaussian_mass : (\int[lebesgue R n]_x gaussian_noise x <= 1)%E.
Proof.
rewrite /gaussian_noise /gaussian_density; under eq_integral do rewrite EFinM.
rewrite ge0_integralM//; last 3 first.
- by apply: measurable_fun_comp; [exact: measurable_fun_EFin | exact: measurable_weight].
- by move=> x _; exact: expR_ge0E.
- by rewrite lee_fin invr_ge0 fine_ge0// gaussian_total_ge0.
rewrite -/gaussian_total; have := gaussian_total_ge0; case: gaussian_total => [z|_|//] /=.
  rewrite lee_fin -EFinM => z0; have [->|zn] := eqVneq z 0; first by rewrite mulr0 lee_fin.
  by rewrite mulVf.
by rewrite invr0 mul0e lee_fin.
Qed.

(* the part of the noise in a half-space *)
Definition beyond (u : 'rV[R]_n) (T : R) : set (space R n) := [set x | T < inner x u].
Definition part (u : 'rV[R]_n) (T : R) (x : space R n) : \bar R := (gaussian_density x * \1_(beyond u T) x)%:E.
Lemma measurable_beyond u T : measurable (beyond u T).
Proof.
have := measurable_inner u => /(_ measurableT `]T, +oo[%classic (measurable_itv _)); rewrite setTI.
by congr measurable; apply/seteqP; split => x /=; rewrite in_itv /= andbT.
Qed.
Lemma part_ge0 u T x : (0 <= part u T x)%E. Proof. by rewrite lee_fin mulr_ge0 ?density_ge0. Qed.
Lemma measurable_part u T : measurable_fun setT (part u T).
Proof.
apply: measurable_fun_comp; first exact: measurable_fun_EFin.
apply: measurable_funM; last exact: measurable_fun_indic (measurable_beyond u T).
by apply: measurable_funM; [exact: measurable_fun_cst | exact: measurable_weight].
Qed.

Lemma half_space u : (\int[lebesgue R n]_x part u 0 x <= (2%:R^-1)%:E)%E.
Proof.
set H := (\int[lebesgue R n]_x part u 0 x)%E; have H0 : (0 <= H)%E by apply: integral_ge0 => x _; exact: part_ge0.
have HH : (H + H <= 1)%E.
  rewrite [X in (X + _)%E](_ : _ = \int[lebesgue R n]_x part u 0 (- x : 'rV[R]_n)%R)%E; last first.
    by rewrite integral_reflection//; [exact: measurable_part | exact: part_ge0].
  have mr : measurable_fun setT (fun x : space R n => part u 0 (- x : 'rV[R]_n)%R).
    exact: (measurable_fun_comp (measurable_part u 0) (@measurable_negate R n)).
  rewrite -ge0_integralD//; last 3 first.
  - by move=> x _; exact: part_ge0.
  - by move=> x _; exact: part_ge0.
  - exact: measurable_part.
  apply: le_trans gaussian_mass; apply: ge0_le_integral => //.
  - by move=> x _; rewrite adde_ge0 ?part_ge0.
  - by apply: emeasurable_funD => //; exact: measurable_part.
  - by move=> x _; exact: gaussian_ge0.
  - exact: measurable_gaussian.
  move=> x _; rewrite /part -EFinD lee_fin /gaussian_density /gaussian_weight squared_normN -mulrDr ler_pimulr//.
    exact: density_ge0.
  rewrite !indicE -natrD (_ : 1 = 1%:R)// ler_nat.
  have := asboolP (beyond u 0 x); have : x \in beyond u 0 -> (- x : 'rV[R]_n) \in beyond u 0 -> False.
    move=> /set_mem /= a /set_mem; rewrite /beyond /= innerNl oppr_gt0 => b; by have := lt_trans a b; rewrite ltxx.
  by case: (x \in _) => //; case: (_ \in _) => // /(_ isT isT).
move: H0 HH; case: H => [h|//|//]; rewrite -EFinD !lee_fin => _ hh.
by rewrite -[leRHS]mul1r ler_pdivl_mulr// mulr_natr mulr2n.
Qed.

Lemma gaussian_tail u T : 0 <= T -> 0 < squared_norm u ->
  (\int[lebesgue R n]_x part u T x <= (expR (- (T ^+ 2 / (2%:R * sigma ^+ 2 * squared_norm u))) / 2%:R)%:E)%E.
Proof.
move=> T0 u0; set a := T / squared_norm u; set E := expR _.
have un : squared_norm u != 0 by rewrite gt_eqF.
rewrite -(@integral_translation R n (a *: u) (part u T)); [|exact: measurable_part|exact: part_ge0].
rewrite EFinM; apply: (@le_trans _ _ (E%:E * \int[lebesgue R n]_x part u 0 x)%E); last first.
  by apply: lee_wpmul2l; [exact: expR_ge0E | exact: half_space].
rewrite -ge0_integralM//; last 3 first.
- exact: measurable_part.
- by move=> x _; exact: part_ge0.
- exact: expR_ge0E.
apply: ge0_le_integral => //.
- by move=> x _; exact: part_ge0.
- exact: (measurable_fun_comp (measurable_part u T) (measurable_add (a *: u))).
- by move=> x _; rewrite mule_ge0 ?part_ge0 ?expR_ge0E.
- by apply: measurable_funeM; exact: measurable_part.
move=> x _; rewrite /part -EFinM lee_fin mulrA.
have -> : \1_(beyond u T) (x + a *: u : 'rV[R]_n) = \1_(beyond u 0) x :> R.
  rewrite !indicE; congr ((nat_of_bool _)%:R).
  have e : (T < inner (x + a *: u) u) = (0 < inner x u).
    by rewrite innerDl innerZl innerE /a divfK// -ltr_subl_addr subrr.
  by apply/idP/idP => /set_mem h; apply/mem_set; move: h; rewrite /beyond /= e.
rewrite indicE; have [/set_mem xu|_] := boolP (x \in _); last by rewrite !mulr0.
rewrite !mulr1 mulrCA ler_wpmul2l ?invr_ge0 ?fine_ge0 ?gaussian_total_ge0//.
rewrite /gaussian_weight -expRD ler_expR -opprD ler_oppr opprK squared_normD innerZr squared_normZ.
have -> : T ^+ 2 / (2%:R * sigma ^+ 2 * squared_norm u) = (a ^+ 2 * squared_norm u) / (2%:R * sigma ^+ 2).
  by rewrite /a; field; rewrite un gt_eqF.
rewrite -mulrDl ler_wpmul2r ?invr_ge0 ?mulr_ge0 ?(ltW sigma0)//.
rewrite addrC -[leRHS]addrA ler_add2l ler_addr mulrn_wge0// mulr_ge0 ?divr_ge0 ?(ltW u0)//.
exact: ltW.
Qed.

(* one vector against another at distance at most s *)
Theorem gaussian_noise_hides (b b' : 'rV[R]_n) (s eps t : R) : 0 < s -> 0 <= eps -> 0 <= t ->
  squared_norm (b - b') <= s ^+ 2 -> t <= eps * sigma / s - s / (2%:R * sigma) ->
  indistinguishable eps (expR (- (t ^+ 2 / 2%:R)) / 2%:R) (noisy gaussian_noise b) (noisy gaussian_noise b').
Proof.
move=> s0 eps0 t0 bs te S mS; set delta := expR _ / _; set u := b - b'.
have sn : s != 0 by rewrite gt_eqF. have gn : sigma != 0 by rewrite gt_eqF.
have mg := measurable_gaussian; have g0 := gaussian_ge0.
pose T := sigma ^+ 2 * eps - squared_norm u / 2%:R.
pose r := Num.sqrt (squared_norm u).
have rr : squared_norm u = r ^+ 2 by rewrite sqr_sqrtr// squared_norm_ge0.
have r0 : 0 <= r by exact: sqrtr_ge0.
have rs : r <= s by rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?(ltW s0)// -rr.
have Tr : t * sigma * r <= T.
  have e1 : t * sigma * s <= sigma ^+ 2 * eps - s ^+ 2 / 2%:R.
    have -> : sigma ^+ 2 * eps - s ^+ 2 / 2%:R = (eps * sigma / s - s / (2%:R * sigma)) * (sigma * s).
      by field; rewrite sn gn.
    by rewrite -mulrA ler_wpmul2r// mulr_ge0// ltW.
  have e2 : t * sigma * r <= t * sigma * s by rewrite ler_wpmul2l// mulr_ge0// ltW.
  apply: (le_trans e2); apply: (le_trans e1); rewrite /T ler_add2l ler_oppr opprK rr.
  by rewrite ler_wpmul2r ?invr_ge0// ler_pexpn2r// nnegrE ltW.
have T0 : 0 <= T by apply: le_trans Tr; rewrite !mulr_ge0// ltW.
have tail : (\int[lebesgue R n]_x part u T x <= delta%:E)%E.
  have [u0|u0] := eqVneq (squared_norm u) 0; last first.
    have up : 0 < squared_norm u by rewrite lt_def u0 squared_norm_ge0.
    apply: (le_trans (gaussian_tail T0 up)); rewrite lee_fin ler_wpmul2r ?invr_ge0// ler_expR ler_oppr opprK.
    rewrite ler_pdivl_mulr ?mulr_gt0 ?exprn_gt0// rr.
    have -> : t ^+ 2 / 2%:R * (2%:R * sigma ^+ 2 * r ^+ 2) = (t * sigma * r) ^+ 2 by field.
    by rewrite ler_pexpn2r// nnegrE !mulr_ge0// ltW.
  rewrite (eq_integral (cst 0%E)) ?integral0 ?lee_fin ?divr_ge0 ?(ltW (expR_gt0 _))// => x _.
  rewrite /part indicE memNset ?mulr0// /beyond /=; apply/negP; rewrite -leNgt.
  rewrite (_ : inner x u = 0)// /inner big1// => i _.
  have := u0 => /eqP; rewrite psumr_eq0; last by move=> j _; exact: sqr_ge0.
  by move=> /allP /(_ i); rewrite mem_index_enum sqrf_eq0 => /(_ isT) /eqP ->; rewrite mulr0.
have mp : measurable_fun setT (fun x : space R n => part u T (x - b : 'rV[R]_n)).
  exact: (measurable_fun_comp (measurable_part u T) (measurable_add (- b))).
apply: (@le_trans _ _ ((expR eps)%:E * noisy gaussian_noise b' S +
    \int[lebesgue R n]_(x in S) part u T (x - b : 'rV[R]_n)%R)%E); last first.
  apply: lee_add2l; apply: le_trans tail.
  rewrite -(@integral_translation R n (- b) (part u T)); [|exact: measurable_part|exact: part_ge0].
  by apply: subset_integral => // x _; exact: part_ge0.
rewrite !noisyE// /density_law.
have mb c : measurable_fun S (fun x : space R n => gaussian_noise (x - c : 'rV[R]_n)).
  exact: (measurable_funS measurableT (@subsetT _ S) (measurable_moved mg c)).
rewrite -ge0_integralM//; last exact: expR_ge0E.
rewrite -ge0_integralD//; last 4 first.
- by move=> x _; rewrite mule_ge0 ?expR_ge0E.
- exact: measurable_funeM.
- by move=> x _; exact: part_ge0.
- exact: (measurable_funS measurableT (@subsetT _ S) mp).
apply: ge0_le_integral => //.
- by move=> x _; rewrite adde_ge0 ?part_ge0// mule_ge0 ?expR_ge0E.
- by apply: emeasurable_funD; [exact: measurable_funeM | exact: (measurable_funS measurableT (@subsetT _ S) mp)].
move=> x _; rewrite /part /gaussian_noise -EFinM -EFinD lee_fin indicE.
have [|/negP out] := boolP ((x - b : 'rV[R]_n) \in beyond u T).
  by rewrite mulr1 ler_addr mulr_ge0 ?density_ge0// ltW// expR_gt0.
rewrite mulr0 addr0 /gaussian_density mulrCA ler_wpmul2l ?invr_ge0 ?fine_ge0 ?gaussian_total_ge0//.
rewrite /gaussian_weight -expRD ler_expR -subr_ge0.
have -> : x - b' = (x - b) + u by rewrite /u addrA subrK.
rewrite squared_normD; set y := x - b; set c := 2%:R * sigma ^+ 2.
have c0 : 0 < c by rewrite mulr_gt0// exprn_gt0.
have -> : eps - (squared_norm y + inner y u *+ 2 + squared_norm u) / c - - (squared_norm y / c) =
          (T - inner y u) * 2%:R / c.
  by rewrite /T /c; field; rewrite gn.
rewrite divr_ge0 ?(ltW c0)// mulr_ge0// subr_ge0 leNgt; apply/negP => h; apply: out.
exact: mem_set.
Qed.

Theorem gaussian_noise_is_private (D : Type) (neighbours : D -> D -> Prop) (q : D -> 'rV[R]_n) (s eps t : R) :
  0 < s -> 0 <= eps -> 0 <= t -> (forall x y, neighbours x y -> squared_norm (q x - q y) <= s ^+ 2) ->
  t <= eps * sigma / s - s / (2%:R * sigma) ->
  differentially_private neighbours eps (expR (- (t ^+ 2 / 2%:R)) / 2%:R) (fun x => noisy gaussian_noise (q x)).
Proof. by move=> s0 e0 t0 sens te x y xy; apply: gaussian_noise_hides te => //; exact: sens. Qed.
End gaussian.
